#include "rheo/ops/nn/conv2d.h"

#include <algorithm>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/shape_functions.h"
#include "rheo/ops/math/gemm.h"

namespace rheo::ops {
namespace {

constexpr int64_t kPatchBytes = int64_t{4} << 20;

// The middle two of four numbers; the others must be 1.
Status SpatialOf(const op::AttrMap& attrs, const char* name, int64_t (&values)[2]) {
  const auto given = attrs.GetOr<std::vector<int64_t>>(name, {1, 1, 1, 1});
  if (given.size() != 4)
    return InvalidArgument("{} must have 4 numbers, not {}", name, given.size());
  if (given[0] != 1 || given[3] != 1) {
    return Unimplemented("{} in the batch and depth dimensions are not supported", name);
  }
  if (given[1] <= 0 || given[2] <= 0) return InvalidArgument("{} must be positive", name);
  values[0] = given[1];
  values[1] = given[2];
  return OkStatus();
}

Status ExplicitPaddings(const op::AttrMap& attrs, Conv2DOptions& options) {
  const auto given = attrs.GetOr<std::vector<int64_t>>("explicit_paddings", {});
  if (given.size() != 8) {
    return InvalidArgument("explicit_paddings must have 8 numbers, not {}", given.size());
  }
  if (std::ranges::any_of(given, [](int64_t pad) { return pad < 0; }) || given[0] != 0 ||
      given[1] != 0 || given[6] != 0 || given[7] != 0) {
    return InvalidArgument("explicit_paddings must not be negative, and 0 for batch and depth");
  }
  for (size_t i = 0; i < 2; ++i) {
    options.explicit_before[i] = given[2 + 2 * i];
    options.explicit_after[i] = given[3 + 2 * i];
  }
  return OkStatus();
}

// A convolution whose sizes are known.
struct Plan {
  int64_t batch = 0;
  int64_t in_depth = 0;
  int64_t out_depth = 0;
  ConvDim rows;
  ConvDim columns;

  int64_t patch_size() const { return rows.filter * columns.filter * in_depth; }
  int64_t outputs_per_image() const { return rows.out * columns.out; }
  // Whether the input itself is the matrix of patches.
  bool is_pointwise() const {
    const auto plain = [](const ConvDim& d) {
      return d.filter == 1 && d.stride == 1 && d.pad_before == 0 && d.in == d.out;
    };
    return plain(rows) && plain(columns);
  }
};

StatusOr<Plan> PlanOf(const Conv2DOptions& options, const Tensor& input, const Tensor& filter) {
  if (input.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional: {}", input.shape().ToString());
  }
  if (filter.rank() != 4) {
    return InvalidArgument("filter must be 4-dimensional: {}", filter.shape().ToString());
  }
  Plan plan{.batch = input.dim(0), .in_depth = input.dim(3), .out_depth = filter.dim(3)};
  if (plan.in_depth != filter.dim(2)) {
    return InvalidArgument("input depth must be the filter's: {} vs {}", plan.in_depth,
                           filter.dim(2));
  }
  RHEO_ASSIGN_OR_RETURN(plan.rows, PlanConvDim(options, 0, input.dim(1), filter.dim(0)));
  RHEO_ASSIGN_OR_RETURN(plan.columns, PlanConvDim(options, 1, input.dim(2), filter.dim(1)));
  return plan;
}

// The input values under the window of output `index` of an image, zeros beyond its edges.
template <typename T>
void CopyPatch(const Plan& plan, const T* image, int64_t index, T* patch) {
  const int64_t top = index / plan.columns.out * plan.rows.stride - plan.rows.pad_before;
  const int64_t left = index % plan.columns.out * plan.columns.stride - plan.columns.pad_before;
  const int64_t depth = plan.in_depth;
  for (int64_t i = 0; i < plan.rows.filter; ++i) {
    const int64_t row = top + i * plan.rows.dilation;
    for (int64_t j = 0; j < plan.columns.filter; ++j, patch += depth) {
      const int64_t column = left + j * plan.columns.dilation;
      if (row < 0 || row >= plan.rows.in || column < 0 || column >= plan.columns.in) {
        std::fill_n(patch, depth, T(0));
      } else {
        std::copy_n(image + (row * plan.columns.in + column) * depth, depth, patch);
      }
    }
  }
}

template <typename T>
Status Convolve(kernel::KernelContext& context, const Plan& plan, const T* input, const T* filter,
                T* output) {
  const int64_t k = plan.patch_size();
  const auto multiply = [&](int64_t m, const T* patches, T* out) {
    Gemm<T>(&context, {.m = m, .n = plan.out_depth, .k = k}, patches, filter, out);
  };
  const int64_t per_image = plan.outputs_per_image();
  if (plan.is_pointwise()) {
    multiply(plan.batch * per_image, input, output);
    return OkStatus();
  }
  const int64_t most =
      std::max<int64_t>(1, kPatchBytes / std::max<int64_t>(1, k * static_cast<int64_t>(sizeof(T))));
  const int64_t chunk = std::min(most, per_image);
  RHEO_ASSIGN_OR_RETURN(Tensor patches, context.AllocateTemp(kDTypeOf<T>, Shape{chunk, k}));
  T* const matrix = patches.mutable_flat<T>().data();
  const int64_t image_size = plan.rows.in * plan.columns.in * plan.in_depth;
  for (int64_t n = 0; n < plan.batch; ++n) {
    for (int64_t first = 0; first < per_image; first += chunk) {
      const int64_t count = std::min(chunk, per_image - first);
      context.ParallelFor(count, k, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          CopyPatch(plan, input + n * image_size, first + i, matrix + i * k);
        }
      });
      multiply(count, matrix, output + (n * per_image + first) * plan.out_depth);
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<Conv2DOptions> Conv2DOptionsOf(const op::AttrMap& attrs) {
  Conv2DOptions options;
  const auto format = attrs.GetOr<std::string>("data_format", "NHWC");
  const auto filter_format = attrs.GetOr<std::string>("filter_format", "HWIO");
  if (format != "NHWC" || filter_format != "HWIO") {
    return Unimplemented("convolutions on CPU take NHWC images and HWIO filters, not {} and {}",
                         format, filter_format);
  }
  RHEO_RETURN_IF_ERROR(SpatialOf(attrs, "strides", options.stride));
  RHEO_RETURN_IF_ERROR(SpatialOf(attrs, "dilations", options.dilation));
  const auto padding = attrs.GetOr<std::string>("padding", "VALID");
  if (padding == "SAME") {
    options.padding = Conv2DOptions::Padding::kSame;
  } else if (padding == "EXPLICIT") {
    options.padding = Conv2DOptions::Padding::kExplicit;
    RHEO_RETURN_IF_ERROR(ExplicitPaddings(attrs, options));
  }
  return options;
}

StatusOr<ConvDim> PlanConvDim(const Conv2DOptions& options, int dimension, int64_t in,
                              int64_t filter) {
  ConvDim dim{.in = in,
              .filter = filter,
              .stride = options.stride[dimension],
              .dilation = options.dilation[dimension]};
  if (in < 0 || filter < 0) {
    dim.out = kUnknownDim;
    return dim;
  }
  if (filter == 0) return InvalidArgument("filter must not have zero elements");
  const int64_t window = (filter - 1) * dim.dilation + 1;
  if (options.padding == Conv2DOptions::Padding::kSame) {
    dim.out = (in + dim.stride - 1) / dim.stride;
    dim.pad_before = std::max<int64_t>(0, (dim.out - 1) * dim.stride + window - in) / 2;
    return dim;
  }
  dim.pad_before = options.explicit_before[dimension];
  const int64_t padded = in + dim.pad_before + options.explicit_after[dimension];
  dim.out = (padded - window + dim.stride) / dim.stride;
  if (dim.out < 0) {
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, "
        "effective_filter_size: {}, stride: {}]",
        dim.out, padded, window, dim.stride);
  }
  return dim;
}

template <typename T>
StatusOr<Tensor*> ConvolveInputs(kernel::KernelContext& context, const Conv2DOptions& options) {
  const Tensor& input = context.input(0);
  const Tensor& filter = context.input(1);
  RHEO_ASSIGN_OR_RETURN(const Plan plan, PlanOf(options, input, filter));
  RHEO_ASSIGN_OR_RETURN(Tensor * out,
                        context.AllocateOutput(
                            0, Shape{plan.batch, plan.rows.out, plan.columns.out, plan.out_depth}));
  if (out->num_elements() > 0) {
    RHEO_RETURN_IF_ERROR(Convolve<T>(context, plan, input.flat<T>().data(), filter.flat<T>().data(),
                                     out->mutable_flat<T>().data()));
  }
  return out;
}

template StatusOr<Tensor*> ConvolveInputs<float>(kernel::KernelContext&, const Conv2DOptions&);
template StatusOr<Tensor*> ConvolveInputs<double>(kernel::KernelContext&, const Conv2DOptions&);
template StatusOr<Tensor*> ConvolveInputs<Half>(kernel::KernelContext&, const Conv2DOptions&);
template StatusOr<Tensor*> ConvolveInputs<Bfloat16>(kernel::KernelContext&, const Conv2DOptions&);

Status Conv2DShape(op::ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 4));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 4));
  if (c.attrs().GetOr<std::string>("data_format", "NHWC") != "NHWC") {
    c.set_output(0, PartialShape::OfRank(4));
    return OkStatus();
  }
  RHEO_ASSIGN_OR_RETURN(const Conv2DOptions options, Conv2DOptionsOf(c.attrs()));
  PartialShape output{DimOf(c.input(0), 0)};
  for (int i = 0; i < 2; ++i) {
    RHEO_ASSIGN_OR_RETURN(const ConvDim dim,
                          PlanConvDim(options, i, DimOf(c.input(0), 1 + i), DimOf(c.input(1), i)));
    output.AddDim(dim.out);
  }
  output.AddDim(DimOf(c.input(1), 3));
  c.set_output(0, std::move(output));
  return OkStatus();
}

}  // namespace rheo::ops
