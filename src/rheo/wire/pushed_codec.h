// Values that a task sends before it is asked: of PushTensors, and in the answer of RunGraph.
#ifndef RHEO_WIRE_PUSHED_CODEC_H_
#define RHEO_WIRE_PUSHED_CODEC_H_

#include <vector>

#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"

namespace rheo::wire {

// A rendezvous key in text form. False when the bytes end early; a text that is no key is kept as
// the reader's error.
bool ReadKey(MessageReader& reader, rendezvous::RendezvousKey& key);

// A PushTensorsRequest.Entry as the submessage `field`.
void PutPushed(int field, const rendezvous::PushedTensor& pushed, MessageBuilder& builder);
// Adds one entry to `pushed`. False when the bytes end early; an entry without a key or a value is
// kept as the reader's error.
bool ReadPushed(MessageReader& reader, std::vector<rendezvous::PushedTensor>& pushed);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_PUSHED_CODEC_H_
