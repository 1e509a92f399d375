// Cast and _HostCast.
#include "rheo/ops/math/cast.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

// Bits of the fraction; 0 for what is not floating.
int FractionBits(DType t) {
  switch (t) {
    case DType::kDouble:
      return 52;
    case DType::kFloat:
      return 23;
    case DType::kHalf:
      return 10;
    case DType::kBfloat16:
      return 7;
    default:
      return 0;
  }
}

// A copy of `input` whose fractions have only as many bits as `dst` keeps, so that the conversion
// cuts instead of rounding.
StatusOr<Tensor> CutFractions(KernelContext& context, const Tensor& input, DType dst) {
  RHEO_ASSIGN_OR_RETURN(Tensor cut, context.AllocateTemp(input.dtype(), input.shape()));
  const int bits = FractionBits(input.dtype()) - FractionBits(dst);
  const auto mask = [bits](auto in, auto out) {
    for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] >> bits << bits;
  };
  switch (DTypeSize(input.dtype())) {
    case 8:
      mask(input.flat<uint64_t>(), cut.mutable_flat<uint64_t>());
      break;
    case 4:
      mask(input.flat<uint32_t>(), cut.mutable_flat<uint32_t>());
      break;
    default:
      mask(input.flat<uint16_t>(), cut.mutable_flat<uint16_t>());
      break;
  }
  return cut;
}

class CastKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const DType src, init.attrs.Get<DType>("SrcT"));
    RHEO_ASSIGN_OR_RETURN(const DType dst, init.attrs.Get<DType>("DstT"));
    const UnaryLoop loop = FindCastLoop(src, dst);
    if (src != dst && loop == nullptr) {
      return Unimplemented("Cast {} to {} is not supported", DTypeName(src), DTypeName(dst));
    }
    const bool cuts = init.attrs.GetOr("Truncate", false) && FractionBits(dst) > 0 &&
                      FractionBits(src) > FractionBits(dst);
    return std::make_unique<CastKernel>(src, dst, loop, cuts);
  }
  CastKernel(DType src, DType dst, UnaryLoop loop, bool cuts)
      : dst_(dst),
        loops_{loop, DTypeSize(src), DTypeSize(dst), kCheap},
        same_(src == dst),
        cuts_(cuts) {}

  Status Compute(KernelContext& context) override {
    if (same_) {
      context.set_output(0, context.input(0));
      return OkStatus();
    }
    if (!cuts_) return RunUnary(context, loops_);
    RHEO_ASSIGN_OR_RETURN(const Tensor cut, CutFractions(context, context.input(0), dst_));
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, cut.shape()));
    loops_.loop(cut.data(), out->mutable_data(), cut.num_elements());
    return OkStatus();
  }

 private:
  const DType dst_;
  const UnaryLoops loops_;
  const bool same_;
  const bool cuts_;
};

}  // namespace

UnaryLoop FindCastLoop(DType src, DType dst) {
  for (const auto find : {CastFromFloating, CastFromSigned, CastFromUnsigned, CastFromOther}) {
    if (const UnaryLoop loop = find(src, dst); loop != nullptr) return loop;
  }
  return nullptr;
}

void RegisterCastKernels(kernel::KernelRegistry& registry) {
  registry.Add({.op = "Cast", .factory = kernel::ClassKernel<CastKernel>()});
  registry.Add({.op = "_HostCast", .factory = kernel::ClassKernel<CastKernel>()});
}

}  // namespace rheo::ops
