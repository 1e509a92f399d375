// The text form of attr values in the tables of ops and kernels.
#ifndef RHEO_OP_ATTR_TEXT_H_
#define RHEO_OP_ATTR_TEXT_H_

#include <optional>

#include "rheo/op/cursor.h"
#include "rheo/op/op_schema.h"

namespace rheo::op {

// Reads one value of `kind` (not a list), or nullopt when the text is none.
std::optional<AttrValue> TakeAttrValue(Cursor& cursor, AttrKind kind);
// Reads "[" value "," … "]".
std::optional<AttrValue> TakeAttrList(Cursor& cursor, AttrKind kind);

}  // namespace rheo::op

#endif  // RHEO_OP_ATTR_TEXT_H_
