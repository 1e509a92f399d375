// Writes cases with our answers, for a comparison by another implementation.
#ifndef RHEO_TESTS_OP_CASES_EMIT_H_
#define RHEO_TESTS_OP_CASES_EMIT_H_

#include <string>

#include "rheo/runtime/registries.h"

namespace rheo::ops {

// Writes one serialized GraphDef per OpCase of an op of TensorFlow's to `directory`. Case k of the
// OpCase is the nodes "c<k>/…":
//   in_<i>     Placeholder of input i, and value_<i>, a Const with its value; or a variable, which
//              init_<i> assigns start_<i>, a Placeholder, and read_<i> reads after the op
//   op         the node under test
//   want_<i>   Const with our output i, then what our variables hold; none when we fail
//   meta       NoOp with the attrs _name, _must_fail and _error (codes, 0 for success), _relative,
//              _absolute (0: default of the dtype), _compare (values too), _differs (skip)
Status EmitCases(const runtime::Registries& registries, const std::string& directory);

}  // namespace rheo::ops

#endif  // RHEO_TESTS_OP_CASES_EMIT_H_
