#include "rheo/builder/op_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "rheo/builder/scope_state.h"

namespace rheo::builder {
namespace {

bool IsListArg(const op::ArgSpec& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

const std::string& CountAttr(const op::ArgSpec& arg) {
  return arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
}

// The number of tensors that a list argument takes by an attr that was given; -1 when it was not.
int GivenCount(const op::ArgSpec& arg, const op::AttrMap& attrs) {
  const op::AttrValue* value = attrs.Find(CountAttr(arg));
  if (value == nullptr) return -1;
  if (const auto* number = value->As<int64_t>()) return static_cast<int>(*number);
  return value->list() == nullptr ? -1 : static_cast<int>(value->list()->size());
}

bool IsValidName(std::string_view name) {
  const auto word = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  return !name.empty() && (word(name[0]) || name[0] == '.') &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return word(c) || std::string_view("_.\\/>-").find(c) != std::string_view::npos;
         });
}

// `status` without the node and the shapes that shape inference appends; Finish says them once.
Status WithoutContext(const Status& status) {
  const std::string_view text = Message(status);
  const size_t context = text.find(" for {{node ");
  if (context == std::string_view::npos) return status;
  return Status(status.code(), absl::string_view(text.data(), context));
}

}  // namespace

OpCall::OpCall(const Scope& scope, std::string_view op)
    : scope_(scope), op_(op), schema_(scope.graph().FindOp(op)) {}

void OpCall::In(const Input& input) { arguments_.push_back({input}); }

void OpCall::In(const std::vector<Output>& inputs) {
  arguments_.emplace_back(inputs.begin(), inputs.end());
}

Operation OpCall::Finish() {
  if (!scope_.status().ok()) return Operation();
  StatusOr<Operation> built = Build();
  if (built.ok()) return result_ = *std::move(built);
  const ScopeSettings& settings = *scope_.settings_;
  scope_.SetError(Append(
      Prefix(built.status(), fmt::format("node '{}{}' ({}): ", settings.prefix,
                                         settings.op_name.empty() ? op_ : settings.op_name, op_)),
      "; in " + Describe()));
  return Operation();
}

Output OpCall::One(int output_argument) const {
  if (!result_.has_value()) return Output();
  return result_.output(output_ranges_[static_cast<size_t>(output_argument)].begin);
}

std::vector<Output> OpCall::List(int output_argument) const {
  std::vector<Output> outputs;
  if (!result_.has_value()) return outputs;
  const op::ArgRange range = output_ranges_[static_cast<size_t>(output_argument)];
  for (int i = range.begin; i < range.end; ++i) outputs.push_back(result_.output(i));
  return outputs;
}

Status OpCall::Deal(std::vector<Output> inputs) {
  if (schema_ == nullptr) return OkStatus();  // Finish tells
  int known = 0;
  int open_uses = 0;
  std::string open_attr;
  for (const op::ArgSpec& arg : schema_->inputs) {
    const int count = IsListArg(arg) ? GivenCount(arg, attrs_) : 1;
    if (count >= 0) {
      known += count;
      continue;
    }
    if (open_uses > 0 && open_attr != CountAttr(arg)) {
      return InvalidArgument("attrs '{}' and '{}' do not follow from the inputs", open_attr,
                             CountAttr(arg));
    }
    open_attr = CountAttr(arg);
    ++open_uses;
  }
  const int rest = static_cast<int>(inputs.size()) - known;
  if (open_uses == 0 ? rest != 0 : rest < 0 || rest % open_uses != 0) {
    return InvalidArgument("{} inputs were given, it takes {}{}", inputs.size(), known,
                           open_uses == 0 ? "" : " and lists");
  }
  auto next = inputs.begin();
  for (const op::ArgSpec& arg : schema_->inputs) {
    int count = IsListArg(arg) ? GivenCount(arg, attrs_) : 1;
    if (count < 0) count = rest / open_uses;
    arguments_.emplace_back(next, next + count);
    next += count;
  }
  return OkStatus();
}

StatusOr<Operation> OpCall::Build() {
  if (schema_ == nullptr) return NotFound("there is no op '{}'", op_);
  RHEO_RETURN_IF_ERROR(dealt_);
  RHEO_RETURN_IF_ERROR(CheckInputs());
  RHEO_RETURN_IF_ERROR(InferAttrs());
  const std::string name = scope_.UniqueNameFor(op_);
  if (!IsValidName(name)) return InvalidArgument("'{}' is no valid name", name);
  RHEO_ASSIGN_OR_RETURN(const std::vector<Output> inputs, MaterializeInputs(name));

  graph::Graph& graph = scope_.graph();
  RHEO_ASSIGN_OR_RETURN(
      graph::Node * node,
      graph.AddNode(
          {.name = name, .op = op_, .attrs = attrs_, .device = scope_.DeviceFor(op_, name)}));
  const Status connected = Connect(node, inputs);
  if (!connected.ok()) {
    graph.RemoveNode(node);
    return connected;
  }
  RHEO_ASSIGN_OR_RETURN(output_ranges_, op::ResolveRanges(schema_->outputs, node->attrs()));
  return Operation(node, scope_.state_, scope_.settings_);
}

Status OpCall::CheckInputs() const {
  if (arguments_.size() != schema_->inputs.size()) {
    return InvalidArgument("{} inputs were given, it takes {}", arguments_.size(),
                           schema_->inputs.size());
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    for (const Input& input : arguments_[i]) {
      if (!input.has_value())
        return InvalidArgument("input '{}' is empty", schema_->inputs[i].name);
      const Output& output = input.output();
      if (output.has_value() && output.op().state() != scope_.state_) {
        return InvalidArgument("input '{}' is '{}' of another graph", schema_->inputs[i].name,
                               output.name());
      }
    }
  }
  return OkStatus();
}

Status OpCall::InferAttrs() {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const op::ArgSpec& arg = schema_->inputs[i];
    const std::vector<Input>& inputs = arguments_[i];
    if (!arg.number_attr.empty()) {
      const int given = GivenCount(arg, attrs_);
      if (given >= 0 && given != static_cast<int>(inputs.size())) {
        return InvalidArgument("input '{}' is {} tensors, attr '{}' says {}", arg.name,
                               inputs.size(), arg.number_attr, given);
      }
      attrs_.Set(arg.number_attr, static_cast<int64_t>(inputs.size()));
    }
    if (!arg.type_list_attr.empty() && !attrs_.Has(arg.type_list_attr)) {
      std::vector<DType> types;
      for (const Input& input : inputs) types.push_back(input.dtype());
      attrs_.Set(arg.type_list_attr, std::move(types));
    }
    if (!arg.type_attr.empty() && !attrs_.Has(arg.type_attr)) InferType(arg.type_attr);
  }
  op::AddDefaultAttrs(*schema_, attrs_);
  return OkStatus();
}

// Outputs and tensors decide, then the attr's default, then literals.
void OpCall::InferType(const std::string& attr) {
  DType literal = DType::kInvalid;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (schema_->inputs[i].type_attr != attr) continue;
    for (const Input& input : arguments_[i]) {
      if (!input.is_literal()) return attrs_.Set(attr, input.dtype());
      if (literal == DType::kInvalid) literal = input.dtype();
    }
  }
  const op::AttrSpec* spec = schema_->FindAttr(attr);
  const bool has_default = spec != nullptr && spec->default_value.has_value();
  if (!has_default && literal != DType::kInvalid) attrs_.Set(attr, literal);
}

// Values become Const nodes "<name>/<argument>".
StatusOr<std::vector<Output>> OpCall::MaterializeInputs(const std::string& name) {
  RHEO_ASSIGN_OR_RETURN(const op::NodeTypes types, op::ResolveTypes(*schema_, attrs_));
  std::vector<Output> outputs;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    for (const Input& input : arguments_[i]) {
      if (!input.value().has_value()) {
        outputs.push_back(input.output());
        continue;
      }
      Tensor value = input.value();
      if (input.is_literal()) {
        const DType wanted = RemoveRef(types.inputs[outputs.size()]);
        RHEO_ASSIGN_OR_RETURN(value, ConvertLiteral(value, wanted));
      }
      const Scope inner = scope_.WithPrefix(name).WithName(schema_->inputs[i].name);
      outputs.push_back(Const(inner, std::move(value)));
      if (!outputs.back().has_value()) return inner.status();
    }
  }
  return outputs;
}

Status OpCall::Connect(graph::Node* node, const std::vector<Output>& inputs) {
  graph::Graph& graph = scope_.graph();
  for (size_t i = 0; i < inputs.size(); ++i) {
    RHEO_RETURN_IF_ERROR(graph.CheckedAddEdge(inputs[i].endpoint(), node, static_cast<int>(i)));
  }
  const ScopeSettings& settings = *scope_.settings_;
  for (graph::Node* control : settings.control_inputs) graph.AddControlEdge(control, node);
  if (!settings.colocate_with.empty()) {
    std::vector<std::string> classes;
    for (const graph::Node* other : settings.colocate_with)
      classes.push_back("loc:@" + other->name());
    node->mutable_attrs().Set("_class", std::move(classes));
  }
  return WithoutContext(scope_.state_->shapes.Refine(*node));
}

// "MatMul(a: float[2,3], b: float[2,3])"
std::string OpCall::Describe() const {
  std::string text = op_ + '(';
  for (size_t i = 0; i < arguments_.size(); ++i) {
    for (const Input& input : arguments_[i]) {
      if (text.back() != '(') text += ", ";
      if (schema_ != nullptr && i < schema_->inputs.size()) text += schema_->inputs[i].name + ": ";
      text += input.ToString();
    }
  }
  return text + ')';
}

Operation AddOp(const Scope& scope, std::string_view op, std::vector<Output> inputs,
                op::AttrMap attrs) {
  if (!scope.status().ok()) return Operation();
  OpCall call(scope, op);
  call.attrs_ = std::move(attrs);
  call.dealt_ = call.Deal(std::move(inputs));
  return call.Finish();
}

}  // namespace rheo::builder
