// The attr setters of OpCall, out of line so that the generated builders stay small.
#include "rheo/builder/op_call.h"

namespace rheo::builder {

void OpCall::Attr(std::string_view name, const std::string& value) { attrs_.Set(name, value); }
void OpCall::Attr(std::string_view name, int64_t value) { attrs_.Set(name, value); }
void OpCall::Attr(std::string_view name, float value) { attrs_.Set(name, value); }
void OpCall::Attr(std::string_view name, bool value) { attrs_.Set(name, value); }
void OpCall::Attr(std::string_view name, DType value) { attrs_.Set(name, value); }
void OpCall::Attr(std::string_view name, const PartialShape& value) { attrs_.Set(name, value); }

void OpCall::Attr(std::string_view name, const Tensor& value) {
  if (value.has_value()) attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const op::FuncRef& value) {
  if (!value.name.empty()) attrs_.Set(name, value);
}

void OpCall::Attr(std::string_view name, const std::vector<std::string>& value) {
  attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const std::vector<int64_t>& value) {
  attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const std::vector<float>& value) {
  attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const std::vector<bool>& value) {
  attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const std::vector<DType>& value) {
  attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const std::vector<PartialShape>& value) {
  attrs_.Set(name, value);
}
void OpCall::Attr(std::string_view name, const std::vector<op::FuncRef>& value) {
  attrs_.Set(name, value);
}

}  // namespace rheo::builder
