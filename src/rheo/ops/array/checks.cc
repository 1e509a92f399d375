// Ops that look at values: Assert, Print, PrintV2, CheckNumerics.
#include <atomic>
#include <cmath>
#include <cstdio>

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/array/summarize.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

StatusOr<int64_t> SummarizeAttr(const KernelInit& init) {
  return init.attrs.Get<int64_t>("summarize");
}

Status Assert(const int64_t& summarize, KernelContext& c) {
  const Tensor& condition = c.input(0);
  if (condition.num_elements() != 1) {
    return InvalidArgument("In[0] should be a scalar: {}", condition.shape().ToString());
  }
  if (condition.scalar<bool>()) return OkStatus();
  std::string text = "assertion failed:";
  for (int i = 1; i < c.num_inputs(); ++i) {
    text += " [" + SummarizeValues(c.input(i), summarize) + ']';
  }
  return InvalidArgument("{}", text);
}

// Writes a line at once, so that lines of different kernels do not mix.
void WriteTo(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

class PrintKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(std::string message, init.attrs.Get<std::string>("message"));
    RHEO_ASSIGN_OR_RETURN(const int64_t first_n, init.attrs.Get<int64_t>("first_n"));
    RHEO_ASSIGN_OR_RETURN(const int64_t summarize, init.attrs.Get<int64_t>("summarize"));
    return std::make_unique<PrintKernel>(std::move(message), first_n, summarize);
  }
  PrintKernel(std::string message, int64_t first_n, int64_t summarize)
      : message_(std::move(message)), first_n_(first_n), summarize_(summarize) {}

  Status Compute(KernelContext& c) override {
    if (first_n_ < 0 || printed_.fetch_add(1, std::memory_order_relaxed) < first_n_) {
      std::string text = message_;
      for (int i = 1; i < c.num_inputs(); ++i) {
        text += '[' + SummarizeValues(c.input(i), summarize_) + ']';
      }
      WriteTo(stderr, text + '\n');
    }
    c.set_output(0, c.TakeInput(0));
    return OkStatus();
  }

 private:
  const std::string message_;
  const int64_t first_n_;
  const int64_t summarize_;
  std::atomic<int64_t> printed_{0};  // steps run the kernel at the same time
};

struct PrintTarget {
  std::string stream;  // "stdout", "stderr", "log(info)", …
  std::string end;
};

StatusOr<PrintTarget> ReadPrintTarget(const KernelInit& init) {
  PrintTarget target;
  RHEO_ASSIGN_OR_RETURN(target.stream, init.attrs.Get<std::string>("output_stream"));
  RHEO_ASSIGN_OR_RETURN(target.end, init.attrs.Get<std::string>("end"));
  const std::string& s = target.stream;
  if (s != "stdout" && s != "stderr" && s != "log(info)" && s != "log(warning)" &&
      s != "log(error)") {
    return InvalidArgument("Unknown output stream: {}", s);
  }
  return target;
}

Status PrintV2(const PrintTarget& target, KernelContext& c) {
  if (c.input(0).num_elements() != 1) {
    return InvalidArgument("Input is expected to be scalar, but got {}",
                           c.input(0).shape().ToString());
  }
  // What goes to the log ends on stderr, too.
  WriteTo(target.stream == "stdout" ? stdout : stderr,
          c.input(0).scalar<std::string>() + target.end);
  return OkStatus();
}

StatusOr<std::string> MessageAttr(const KernelInit& init) {
  return init.attrs.Get<std::string>("message");
}

template <typename T>
Status CheckNumerics(const std::string& message, KernelContext& c) {
  bool has_nan = false;
  bool has_inf = false;
  for (const T& element : c.input(0).flat<T>()) {
    const auto value = static_cast<double>(element);
    has_nan |= std::isnan(value);
    has_inf |= std::isinf(value);
  }
  if (has_nan || has_inf) {
    return InvalidArgument("{} : Tensor had {} values", message,
                           has_nan ? (has_inf ? "Inf and NaN" : "NaN") : "Inf");
  }
  c.set_output(0, c.TakeInput(0));
  return OkStatus();
}

}  // namespace

void AddCheckKernels(TableKernels& kernels) {
  kernels.Add("Assert", AttrKernel(&SummarizeAttr, &Assert));
  kernels.Add("Print", kernel::ClassKernel<PrintKernel>());
  kernels.Add("PrintV2", AttrKernel(&ReadPrintTarget, &PrintV2));
  kernels.Add("CheckNumerics", ByType<FloatTypes>("T", []<typename T>() {
                return AttrKernel(&MessageAttr, &CheckNumerics<T>);
              }));
}

}  // namespace rheo::ops
