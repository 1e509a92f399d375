// Codes and texts of errors in the bodies of answers.
#ifndef RHEO_WIRE_STATUS_CODEC_H_
#define RHEO_WIRE_STATUS_CODEC_H_

#include <string>
#include <string_view>

#include "rheo/base/status.h"

namespace rheo::wire {

// UNKNOWN for a number that is no code; 0 is OK.
Status StatusFromBody(int64_t code, std::string_view text);

// `text` with each byte that is not part of valid UTF-8 replaced by '?': a protobuf string with
// others would make the whole answer unreadable.
std::string ToUtf8(std::string_view text);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_STATUS_CODEC_H_
