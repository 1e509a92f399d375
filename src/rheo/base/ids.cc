#include "rheo/base/ids.h"

#include <fmt/format.h>

#include <random>

namespace rheo {

uint64_t RandomUint64() {
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(),
                       device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return generator();
}

StepId NewStepId() {
  return StepId(static_cast<int64_t>(RandomUint64() & ((uint64_t{1} << 57) - 1)));
}

Incarnation NewIncarnation() {
  uint64_t value = 0;
  while (value == 0) value = RandomUint64();
  return Incarnation(value);
}

RequestId NewRequestId() {
  int64_t value = 0;
  while (value == 0) value = static_cast<int64_t>(RandomUint64());
  return RequestId(value);
}

SessionHandle NewSessionHandle() { return SessionHandle(fmt::format("{:016x}", RandomUint64())); }

}  // namespace rheo
