// StepNames: what a step feeds, fetches and runs, as its caller wrote it. StepSignature: the same
// in a form in which equal steps are equal.
#ifndef RHEO_MASTER_STEP_NAMES_H_
#define RHEO_MASTER_STEP_NAMES_H_

#include <string>
#include <vector>

#include "rheo/service/master_service.h"

namespace rheo::master {

struct StepNames {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  friend bool operator==(const StepNames&, const StepNames&) = default;
};

// Names with their index ("x" is "x:0", but the target "x:0" is "x"), sorted; fetches and targets
// once each. A feed that is given twice stays twice, for the error.
struct StepSignature {
  StepNames names;
  friend bool operator==(const StepSignature&, const StepSignature&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const StepSignature& s) {
    return H::combine(std::move(h), s.names.feeds, s.names.fetches, s.names.targets);
  }
};

StepNames NamesOf(const service::RunStepRequest& request);
StepSignature SignatureOf(const StepNames& names);

// The position of `name` ("x" or "x:0") in the sorted `canonical` names; -1 when it is not there.
int SlotOf(std::string_view name, const std::vector<std::string>& canonical);

// Lets a table keyed by StepNames be searched with a request, without copying a name.
struct StepNamesHash {
  using is_transparent = void;
  size_t operator()(const StepNames& names) const;
  size_t operator()(const service::RunStepRequest& request) const;
};
struct StepNamesEqual {
  using is_transparent = void;
  bool operator()(const StepNames& a, const StepNames& b) const { return a == b; }
  bool operator()(const StepNames& names, const service::RunStepRequest& request) const;
  bool operator()(const service::RunStepRequest& request, const StepNames& names) const {
    return (*this)(names, request);
  }
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_NAMES_H_
