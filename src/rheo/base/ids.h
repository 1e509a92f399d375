// Strong identifiers, so that a step id is never passed where a request id is meant, and the
// process's source of random ids.
#ifndef RHEO_BASE_IDS_H_
#define RHEO_BASE_IDS_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace rheo {

template <typename Tag, typename T>
struct StrongId {
  T value{};

  StrongId() = default;
  explicit StrongId(T v) : value(std::move(v)) {}
  friend auto operator<=>(const StrongId&, const StrongId&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const StrongId& id) {
    return H::combine(std::move(h), id.value);
  }
};

// Names one run of a graph on all tasks; unique among all masters with high probability.
using StepId = StrongId<struct StepIdTag, int64_t>;
// One lifetime of a device; never 0 for a live one.
using Incarnation = StrongId<struct IncarnationTag, uint64_t>;
// Names one request for duplicate detection; 0 means "do not check".
using RequestId = StrongId<struct RequestIdTag, int64_t>;
// 16 lower-case hex digits chosen by the master; opaque elsewhere. Also names worker sessions.
using SessionHandle = StrongId<struct SessionHandleTag, std::string>;
// Chosen by the worker for a registered graph; opaque elsewhere.
using GraphHandle = StrongId<struct GraphHandleTag, std::string>;

// A random 64-bit number from a generator seeded by the system; thread-safe.
uint64_t RandomUint64();

StepId NewStepId();            // 57-bit, non-negative
Incarnation NewIncarnation();  // never 0
RequestId NewRequestId();      // never 0
SessionHandle NewSessionHandle();

}  // namespace rheo

template <typename Tag, typename T>
struct std::hash<rheo::StrongId<Tag, T>> {
  size_t operator()(const rheo::StrongId<Tag, T>& id) const { return std::hash<T>()(id.value); }
};

#endif  // RHEO_BASE_IDS_H_
