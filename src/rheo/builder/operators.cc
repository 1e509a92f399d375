#include "rheo/builder/operators.h"

#include "rheo/builder/op_call.h"

namespace rheo::builder {
namespace {

// Empty operands come from an earlier mistake, which some scope already tells.
Output Binary(const char* op, const Input& a, const Input& b) {
  const Output& where = a.output().has_value() ? a.output() : b.output();
  if (!where.has_value()) return Output();
  const Scope scope = where.op().scope();
  OpCall call(scope, op);
  call.In(a);
  call.In(b);
  call.Finish();
  return call.One(0);
}

const char* AddFor(const Output& operand) {
  return operand.dtype() == DType::kString ? "Add" : "AddV2";
}
const char* DivFor(const Output& operand) { return IsInteger(operand.dtype()) ? "Div" : "RealDiv"; }

}  // namespace

Output operator+(const Output& a, const Output& b) { return Binary(AddFor(a), a, b); }
Output operator+(const Output& a, const Input& b) { return Binary(AddFor(a), a, b); }
Output operator+(const Input& a, const Output& b) { return Binary(AddFor(b), a, b); }
Output operator-(const Output& a, const Output& b) { return Binary("Sub", a, b); }
Output operator-(const Output& a, const Input& b) { return Binary("Sub", a, b); }
Output operator-(const Input& a, const Output& b) { return Binary("Sub", a, b); }
Output operator*(const Output& a, const Output& b) { return Binary("Mul", a, b); }
Output operator*(const Output& a, const Input& b) { return Binary("Mul", a, b); }
Output operator*(const Input& a, const Output& b) { return Binary("Mul", a, b); }
Output operator/(const Output& a, const Output& b) { return Binary(DivFor(a), a, b); }
Output operator/(const Output& a, const Input& b) { return Binary(DivFor(a), a, b); }
Output operator/(const Input& a, const Output& b) { return Binary(DivFor(b), a, b); }

Output operator-(const Output& x) {
  if (!x.has_value()) return Output();
  return AddOp(x.op().scope(), "Neg", {x});
}

}  // namespace rheo::builder
