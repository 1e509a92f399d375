// The functions of a program, shared and immutable; extending one makes a new one.
#ifndef RHEO_GRAPH_FUNCTION_LIBRARY_H_
#define RHEO_GRAPH_FUNCTION_LIBRARY_H_

#include <memory>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/graph/graph_def.h"

namespace rheo::graph {

// Thread-safe: never changes.
class FunctionIndex {
 public:
  explicit FunctionIndex(FunctionLibrary library);

  const FunctionDef* Find(std::string_view name) const;
  // The gradient function registered for `name`, or "".
  std::string FindGradient(std::string_view name) const;
  const FunctionLibrary& library() const { return library_; }

 private:
  const FunctionLibrary library_;
  StringViewMap<const FunctionDef*> by_name_;
  StringViewMap<std::string_view> gradients_;
};

// Never null in a Graph.
using FunctionLibraryRef = std::shared_ptr<const FunctionIndex>;

// Both libraries together. INVALID_ARGUMENT when a name has two different bodies.
StatusOr<FunctionLibraryRef> MergeLibraries(const FunctionLibraryRef& base,
                                            const FunctionLibrary& added);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_FUNCTION_LIBRARY_H_
