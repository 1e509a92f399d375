// Memory offers: how a large value passes between two Rheo processes of one host without going
// through a socket. The receiver's RecvTensor says which host it is on and brings a random mark; a
// sender on the same host may then answer with the address of the value instead of its bytes, and
// keeps it until the receiver says that it has read it (MarkRecvFinished). TensorFlow's tasks skip
// the fields.
#ifndef RHEO_WIRE_MEMORY_OFFER_H_
#define RHEO_WIRE_MEMORY_OFFER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "rheo/service/worker_service.h"
#include "rheo/tensor/tensor.h"
#include "rheo/wire/message.h"
#include "rheo/wire/source.h"

namespace rheo::wire {

// In a request of RecvTensor.
struct MemoryReader {
  // What the processes that can read each other's memory have in common; "": the receiver takes
  // bytes only.
  std::string host;
  // Stands in the sender's memory as long as the offer holds. Whoever reads it after the value
  // knows that it has read the right process in time.
  std::string mark;
  // Asks for the bytes of a value that was offered under the same request id: the receiver could
  // not read it.
  bool redeem = false;
};

// In an answer of RecvTensor, in place of the value.
struct MemoryOffer {
  int64_t process = 0;
  uint64_t mark_address = 0;
  uint64_t address = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
};

Message Encode(const service::RecvTensorRequest& value, const MemoryReader& reader);
Status Decode(Source& source, service::RecvTensorRequest& value, MemoryReader& reader);

struct RecvTensorAnswer {
  service::RecvTensorResponse response;
  std::optional<MemoryOffer> offer;  // then `response` holds no value
};
Message Encode(const MemoryOffer& offer);
// As Decode of a RecvTensorResponse; an offer of what is no plain data, or of a size that cannot
// be, is an INVALID_ARGUMENT.
Status Decode(Source& source, RecvTensorAnswer& value);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_MEMORY_OFFER_H_
