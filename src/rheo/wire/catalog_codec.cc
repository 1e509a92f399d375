#include "rheo/wire/catalog_codec.h"

#include "rheo/wire/graph_codec.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

using ProtoConstraint = tensorflow::RheoKernelRow::Constraint;

Status ConstraintFromProto(ProtoConstraint& proto, DecodeContext& context,
                           op::AttrConstraint& constraint) {
  constraint.attr = std::move(*proto.mutable_attr());
  for (const int number : proto.type()) {
    RHEO_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(number));
    constraint.allowed.emplace_back(dtype);
  }
  for (auto& value : *proto.mutable_other()) {
    RHEO_ASSIGN_OR_RETURN(constraint.allowed.emplace_back(), AttrFromProto(value, context));
  }
  return OkStatus();
}

void ConstraintToProto(const op::AttrConstraint& constraint, ProtoConstraint& proto) {
  proto.set_attr(constraint.attr);
  for (const op::AttrValue& value : constraint.allowed) {
    if (const auto* dtype = value.As<DType>()) {
      proto.add_type(static_cast<tensorflow::DataType>(*dtype));
    } else {
      AttrToProto(value, *proto.add_other());
    }
  }
}

}  // namespace

StatusOr<op::KernelCatalog> CatalogFromProto(tensorflow::RheoTaskInfo& proto,
                                             DecodeContext& context) {
  op::KernelCatalog catalog;
  for (auto& from : *proto.mutable_kernel()) {
    op::KernelRow row;
    row.op = std::move(*from.mutable_op());
    row.device_type = std::move(*from.mutable_device_type());
    for (auto& constraint : *from.mutable_constraint()) {
      RHEO_RETURN_IF_ERROR(
          ConstraintFromProto(constraint, context, row.constraints.emplace_back()));
    }
    row.host_memory_args.assign(from.host_memory_arg().begin(), from.host_memory_arg().end());
    row.label = std::move(*from.mutable_label());
    row.priority = from.priority();
    catalog.Add(std::move(row));
  }
  return catalog;
}

void CatalogToProto(const op::KernelCatalog& catalog, tensorflow::RheoTaskInfo& proto) {
  proto.set_has_kernels(true);
  for (const op::KernelRow* row : catalog.All()) {
    auto* const to = proto.add_kernel();
    to->set_op(row->op);
    to->set_device_type(row->device_type);
    for (const op::AttrConstraint& c : row->constraints)
      ConstraintToProto(c, *to->add_constraint());
    for (const std::string& arg : row->host_memory_args) to->add_host_memory_arg(arg);
    to->set_label(row->label);
    to->set_priority(row->priority);
  }
}

}  // namespace rheo::wire
