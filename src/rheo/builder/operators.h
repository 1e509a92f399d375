// + - * / on outputs: Add, Sub, Mul and Div nodes with broadcasting.
//
// The node goes where the left operand's went (its prefix, device and control inputs); where that
// is a literal, the right one's. Literals take the other operand's dtype: `2 * x + 1`.
#ifndef RHEO_BUILDER_OPERATORS_H_
#define RHEO_BUILDER_OPERATORS_H_

#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"

namespace rheo::builder {

Output operator+(const Output& a, const Output& b);  // AddV2, strings: Add
Output operator+(const Output& a, const Input& b);
Output operator+(const Input& a, const Output& b);
Output operator-(const Output& a, const Output& b);  // Sub
Output operator-(const Output& a, const Input& b);
Output operator-(const Input& a, const Output& b);
Output operator*(const Output& a, const Output& b);  // Mul
Output operator*(const Output& a, const Input& b);
Output operator*(const Input& a, const Output& b);
// RealDiv; for integers Div, which truncates as C++ does.
Output operator/(const Output& a, const Output& b);
Output operator/(const Output& a, const Input& b);
Output operator/(const Input& a, const Output& b);
Output operator-(const Output& x);  // Neg

}  // namespace rheo::builder

#endif  // RHEO_BUILDER_OPERATORS_H_
