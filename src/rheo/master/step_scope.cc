#include "rheo/master/step_scope.h"

namespace rheo::master {

StepScope::~StepScope() {
  for (const Cleanups::Worker& worker : workers_) {
    if (worker != nullptr) cleanups_->EndStep(worker, step_);
  }
}

}  // namespace rheo::master
