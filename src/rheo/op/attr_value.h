// AttrValue: the value of one attr of a node; AttrMap: all attrs of a node.
#ifndef RHEO_OP_ATTR_VALUE_H_
#define RHEO_OP_ATTR_VALUE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/tensor/tensor.h"

namespace rheo::op {

struct AttrList;
struct FuncRef;

// The name of an attr of the enclosing function whose value stands here once it is instantiated.
struct Placeholder {
  std::string name;
  friend bool operator==(const Placeholder&, const Placeholder&) = default;
};

// Immutable once made; copies share lists, functions and tensors.
class AttrValue {
 public:
  using Storage =
      std::variant<std::monostate, std::string, int64_t, float, bool, DType, PartialShape, Tensor,
                   std::shared_ptr<const FuncRef>, std::shared_ptr<const AttrList>, Placeholder>;

  AttrValue() = default;
  AttrValue(std::string v) : value_(std::move(v)) {}    // NOLINT(google-explicit-constructor)
  AttrValue(const char* v) : value_(std::string(v)) {}  // NOLINT(google-explicit-constructor)
  AttrValue(int64_t v) : value_(v) {}                   // NOLINT(google-explicit-constructor)
  AttrValue(int v) : value_(int64_t{v}) {}              // NOLINT(google-explicit-constructor)
  AttrValue(float v) : value_(v) {}                     // NOLINT(google-explicit-constructor)
  AttrValue(bool v) : value_(v) {}                      // NOLINT(google-explicit-constructor)
  AttrValue(DType v) : value_(v) {}                     // NOLINT(google-explicit-constructor)
  AttrValue(PartialShape v) : value_(std::move(v)) {}   // NOLINT(google-explicit-constructor)
  AttrValue(Shape v) : value_(PartialShape(v)) {}       // NOLINT(google-explicit-constructor)
  AttrValue(Tensor v) : value_(std::move(v)) {}         // NOLINT(google-explicit-constructor)
  AttrValue(FuncRef v);                                 // NOLINT(google-explicit-constructor)
  AttrValue(AttrList v);                                // NOLINT(google-explicit-constructor)
  AttrValue(Placeholder v) : value_(std::move(v)) {}    // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<std::string> v);                // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<int64_t> v);                    // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<float> v);                      // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<bool> v);                       // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<DType> v);                      // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<PartialShape> v);               // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<Tensor> v);                     // NOLINT(google-explicit-constructor)
  AttrValue(std::vector<FuncRef> v);                    // NOLINT(google-explicit-constructor)

  // nullptr when the value is of another kind. T is an alternative of Storage; FuncRef and AttrList
  // are reached by func() and list().
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&value_);
  }
  const FuncRef* func() const {
    const auto* p = std::get_if<std::shared_ptr<const FuncRef>>(&value_);
    return p == nullptr ? nullptr : p->get();
  }
  const AttrList* list() const {
    const auto* p = std::get_if<std::shared_ptr<const AttrList>>(&value_);
    return p == nullptr ? nullptr : p->get();
  }
  bool empty() const { return std::holds_alternative<std::monostate>(value_); }
  const Storage& storage() const { return value_; }

  // For messages: `[1,2]`, `"text"`, `float`, `fn[T=float]`.
  std::string ToString() const;

 private:
  Storage value_;
};

// By value (tensors by dtype, shape and content).
bool operator==(const AttrValue& a, const AttrValue& b);

// The attrs of a node, ordered by name. Small: lookups are a binary search.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap() = default;
  AttrMap(std::initializer_list<Entry> entries) {
    for (const Entry& e : entries) Set(e.first, e.second);
  }

  const AttrValue* Find(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  void Set(std::string_view name, AttrValue value);
  void Erase(std::string_view name);

  // The attr as T: std::string, int64_t, float, bool, DType, PartialShape, Tensor, FuncRef, or
  // std::vector of one of them (an empty list is of every kind). NOT_FOUND when it is missing,
  // INVALID_ARGUMENT when it is of another kind, both naming the attr.
  template <typename T>
  StatusOr<T> Get(std::string_view name) const;
  // The attr, or `fallback` when it is missing or of another kind.
  template <typename T>
  T GetOr(std::string_view name, T fallback) const {
    StatusOr<T> value = Get<T>(name);
    return value.ok() ? *std::move(value) : std::move(fallback);
  }

  size_t size() const { return entries_.size(); }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  friend bool operator==(const AttrMap& a, const AttrMap& b) { return a.entries_ == b.entries_; }

 private:
  std::vector<Entry> entries_;
};

// A function by name, with values for its attrs.
struct FuncRef {
  std::string name;
  AttrMap attrs;
  friend bool operator==(const FuncRef&, const FuncRef&) = default;
};

// One of the vectors is in use; an empty list uses none.
struct AttrList {
  std::vector<std::string> strings;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<bool> bools;
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
  std::vector<Tensor> tensors;
  std::vector<FuncRef> funcs;

  size_t size() const {
    return strings.size() + ints.size() + floats.size() + bools.size() + types.size() +
           shapes.size() + tensors.size() + funcs.size();
  }
  friend bool operator==(const AttrList&, const AttrList&) = default;
};

}  // namespace rheo::op

#endif  // RHEO_OP_ATTR_VALUE_H_
