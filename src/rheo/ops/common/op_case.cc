#include "rheo/ops/common/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/common/table_kernels.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {
namespace {

// SplitMix64: small, and the same everywhere.
class Random64 {
 public:
  explicit Random64(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

uint64_t HashText(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

// Evenly spread values in random order, or independent ones.
std::vector<double> Draw(int64_t n, const Values& v, bool whole, Random64& random) {
  std::vector<double> drawn(static_cast<size_t>(n));
  if (v.distinct) {
    const double step = n > 1 ? (v.high - v.low) / static_cast<double>(n - 1) : 0;
    for (size_t i = 0; i < drawn.size(); ++i) {
      drawn[i] =
          whole ? std::ceil(v.low) + static_cast<double>(i) : v.low + step * static_cast<double>(i);
    }
    for (size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[random.Next() % i]);
    return drawn;
  }
  const double first = std::ceil(v.low);
  for (double& d : drawn) {
    do {
      d = v.low + (v.high - v.low) * random.Uniform();
      if (whole) d = first + std::floor((std::floor(v.high) - first + 1) * random.Uniform());
    } while (std::abs(d) < v.gap);
  }
  return drawn;
}

void AddSpecials(std::vector<double>& values) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double specials[] = {kInf, -kInf, std::numeric_limits<double>::quiet_NaN(), 0.0, -0.0};
  for (size_t i = 0; i < values.size() && i < std::size(specials); ++i) values[i] = specials[i];
}

template <typename T>
T ConvertNumber(double d) {
  if constexpr (std::is_same_v<T, bool>) {
    return d != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const double low = static_cast<double>(std::numeric_limits<T>::lowest());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    if (d <= low) return std::numeric_limits<T>::lowest();
    return d >= high ? std::numeric_limits<T>::max() : static_cast<T>(d);
  } else {
    return static_cast<T>(static_cast<float>(d));
  }
}
template <>
double ConvertNumber<double>(double d) {
  return d;
}

using PlainNumbers = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                              uint8_t, uint16_t, uint32_t, uint64_t, bool>;

// Quantized types are filled as the integers that represent them.
DType RepresentationOf(DType dtype) {
  switch (dtype) {
    case DType::kQint8:
      return DType::kInt8;
    case DType::kQuint8:
      return DType::kUint8;
    case DType::kQint16:
      return DType::kInt16;
    case DType::kQuint16:
      return DType::kUint16;
    case DType::kQint32:
      return DType::kInt32;
    default:
      return dtype;
  }
}

void FillNumbers(const std::vector<double>& values, Tensor& t) {
  const DType dtype = RepresentationOf(t.dtype());
  ForEachType<PlainNumbers>([&]<typename T>() {
    if (dtype != kDTypeOf<T>) return;
    std::span<T> out = t.mutable_flat<T>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = ConvertNumber<T>(values[i]);
  });
}

template <typename C>
void FillComplex(const std::vector<double>& parts, Tensor& t) {
  using R = typename C::value_type;
  std::span<C> out = t.mutable_flat<C>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = C(static_cast<R>(parts[2 * i]), static_cast<R>(parts[2 * i + 1]));
  }
}

void FillStrings(Random64& random, Tensor& t) {
  for (std::string& s : t.mutable_flat<std::string>()) {
    s.assign(random.Next() % 4, static_cast<char>('a' + random.Next() % 3));
  }
}

std::vector<double> NumbersOf(const Tensor& t) {
  std::vector<double> values(static_cast<size_t>(t.num_elements()));
  ForEachType<PlainNumbers>([&]<typename T>() {
    if (t.dtype() != kDTypeOf<T>) return;
    std::span<const T> in = t.flat<T>();
    for (size_t i = 0; i < in.size(); ++i) values[i] = static_cast<double>(in[i]);
  });
  return values;
}

Tensor ConvertLiteral(const Tensor& value, DType dtype) {
  if (dtype == value.dtype() || dtype == DType::kInvalid || !IsPlainData(value.dtype()) ||
      !IsPlainData(dtype)) {
    return value;
  }
  Tensor converted(dtype, value.shape());
  std::vector<double> numbers = NumbersOf(value);
  if (IsComplex(dtype)) {
    std::vector<double> parts;
    for (const double d : numbers) parts.insert(parts.end(), {d, 0.0});
    dtype == DType::kComplex64 ? FillComplex<std::complex<float>>(parts, converted)
                               : FillComplex<std::complex<double>>(parts, converted);
  } else {
    FillNumbers(numbers, converted);
  }
  return converted;
}

void SetAll(const op::AttrMap& from, op::AttrMap& to) {
  for (const auto& [name, value] : from) to.Set(name, value);
}

std::string Label(const op::AttrMap& attrs) {
  std::string label;
  for (const auto& [name, value] : attrs) {
    if (!label.empty()) label += ',';
    label += value.As<DType>() != nullptr ? value.ToString() : name + '=' + value.ToString();
  }
  return label;
}

// The dtype each input must have as far as `attrs` or the schema say; kInvalid where they do not.
std::vector<DType> WantedTypes(const op::OpSchema& schema, const op::AttrMap& given, size_t count) {
  op::AttrMap attrs = given;
  op::AddDefaultAttrs(schema, attrs);
  std::vector<DType> wanted;
  for (const op::ArgSpec& arg : schema.inputs) {
    if (!arg.type_list_attr.empty()) {
      const auto types = attrs.GetOr<std::vector<DType>>(arg.type_list_attr, {});
      wanted.insert(wanted.end(), types.begin(), types.end());
      continue;
    }
    DType type = arg.type;
    if (!arg.type_attr.empty()) type = attrs.GetOr<DType>(arg.type_attr, DType::kInvalid);
    // The number of a repeated argument that no attr tells is what the fixed ones leave.
    size_t repeat = 1;
    if (!arg.number_attr.empty()) {
      const auto rest = static_cast<int64_t>(count - (schema.inputs.size() - 1));
      repeat = static_cast<size_t>(attrs.GetOr<int64_t>(arg.number_attr, rest));
    }
    // What a resource holds, if it is a variable.
    if (type == DType::kResource) {
      type = attrs.GetOr<DType>("dtype", attrs.GetOr<DType>("T", DType::kInvalid));
    }
    wanted.insert(wanted.end(), repeat, RemoveRef(type));
  }
  wanted.resize(count, DType::kInvalid);
  return wanted;
}

StatusOr<std::vector<Tensor>> MakeInputs(const std::vector<InputSpec>& specs,
                                         const op::OpSchema& schema, const op::AttrMap& attrs,
                                         std::string_view name) {
  if (specs.size() + 1 < schema.inputs.size()) {
    return InvalidArgument("{}: {} inputs do not fit the op", name, specs.size());
  }
  const std::vector<DType> wanted = WantedTypes(schema, attrs, specs.size());
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < specs.size(); ++i) {
    const InputSpec& spec = specs[i];
    if (spec.literal.has_value()) {
      inputs.push_back(ConvertLiteral(*spec.literal, wanted[i]));
      continue;
    }
    const DType dtype = wanted[i] == DType::kInvalid ? spec.dtype : wanted[i];
    if (dtype == DType::kInvalid) return InvalidArgument("{}: no dtype for input {}", name, i);
    inputs.push_back(RandomTensor(dtype, spec.shape, spec.values, HashText(name) + i));
  }
  return inputs;
}

class Expander {
 public:
  Expander(const OpCase& c, const op::OpSchema& schema) : case_(c), schema_(schema) {}

  StatusOr<std::vector<ConcreteCase>> Run() {
    for (size_t t = 0; t < case_.types.size(); ++t) {
      for (const op::AttrMap& attrs : case_.attrs) {
        for (const CaseVariant& v : case_.variants) {
          RHEO_RETURN_IF_ERROR(AddVariant(t, attrs, v));
        }
      }
    }
    for (const BadCall& bad : case_.bad) RHEO_RETURN_IF_ERROR(AddBad(bad));
    return std::move(cases_);
  }

 private:
  Status AddVariant(size_t t, const op::AttrMap& attrs, const CaseVariant& v) {
    const auto& only = v.only_types;
    if (!only.empty() && std::find(only.begin(), only.end(), static_cast<int>(t)) == only.end()) {
      return OkStatus();
    }
    if (v.large && t != (only.empty() ? 0 : static_cast<size_t>(only.front()))) return OkStatus();
    op::AttrMap all = case_.types[t];
    SetAll(attrs, all);
    SetAll(v.attrs, all);
    ConcreteCase c = Start(fmt::format("{}/{}/{}", case_.op, Label(all), v.name), all);
    c.large = v.large;
    c.check_gradient = case_.check_gradient && v.check_gradient && !v.large &&
                       (case_.check_complex_gradient || !IsComplex(TypeOf(all)));
    return Finish(v.inputs, std::move(c));
  }

  static DType TypeOf(const op::AttrMap& attrs) { return attrs.GetOr<DType>("T", DType::kInvalid); }

  Status AddBad(const BadCall& bad) {
    op::AttrMap all = case_.types.front();
    SetAll(bad.attrs, all);
    ConcreteCase c = Start(fmt::format("{}/bad/{}", case_.op, bad.name), all);
    c.error = bad.code;
    c.differs_from_tensorflow = bad.differs_from_tensorflow;
    return Finish(bad.inputs, std::move(c));
  }

  ConcreteCase Start(std::string name, op::AttrMap attrs) const {
    ConcreteCase c;
    c.name = std::move(name);
    c.op = case_.op;
    c.attrs = std::move(attrs);
    c.tolerance = case_.tolerance;
    c.compare_values = case_.compare_values;
    c.gradient_inputs = case_.gradient_inputs;
    return c;
  }

  Status Finish(const std::vector<InputSpec>& inputs, ConcreteCase c) {
    for (const InputSpec& spec : inputs) c.variables.push_back(spec.variable);
    RHEO_ASSIGN_OR_RETURN(c.inputs, MakeInputs(inputs, schema_, c.attrs, c.name));
    if (const Status s = CompleteAttrs(schema_, c.inputs, c.attrs); !s.ok()) {
      return Prefix(s, c.name + ": ");
    }
    cases_.push_back(std::move(c));
    return OkStatus();
  }

  const OpCase& case_;
  const op::OpSchema& schema_;
  std::vector<ConcreteCase> cases_;
};

std::string CheckOne(const ConcreteCase& c, KernelRunner& runner) {
  const StatusOr<std::vector<Tensor>> result = RunCase(c, runner);
  if (!c.error.has_value()) {
    return result.ok() ? "" : fmt::format("{}: {}\n", c.name, result.status().ToString());
  }
  if (result.ok()) return fmt::format("{}: must fail with {}\n", c.name, CodeName(*c.error));
  if (result.status().code() == *c.error) return "";
  return fmt::format("{}: must fail with {}, gave {}\n", c.name, CodeName(*c.error),
                     result.status().ToString());
}

}  // namespace

InputSpec Random(Shape shape, Values values) {
  return {.shape = std::move(shape), .values = values};
}
InputSpec Literal(Tensor value) { return {.literal = std::move(value)}; }
InputSpec Int(int value) { return Literal(Tensor::Scalar<int32_t>(value)); }
InputSpec Ints(const std::vector<int32_t>& values) { return Literal(Tensor::Vector(values)); }
InputSpec Float(float value) { return Literal(Tensor::Scalar<float>(value)); }
InputSpec Var(Shape shape, Values values) {
  return {.shape = std::move(shape), .values = values, .variable = true};
}

std::vector<op::AttrMap> ForTypes(std::string_view attr, const std::vector<DType>& types) {
  std::vector<op::AttrMap> maps;
  for (const DType t : types) maps.push_back({{std::string(attr), t}});
  return maps;
}

std::vector<op::AttrMap> Product(const std::vector<op::AttrMap>& a,
                                 const std::vector<op::AttrMap>& b) {
  std::vector<op::AttrMap> product;
  for (const op::AttrMap& x : a) {
    for (const op::AttrMap& y : b) {
      op::AttrMap both = x;
      SetAll(y, both);
      product.push_back(std::move(both));
    }
  }
  return product;
}

std::vector<op::AttrMap> WithKernels(std::string_view op, const std::vector<op::AttrMap>& types) {
  std::vector<op::AttrMap> found;
  const std::string_view line = TableLinesOf(op::PublicOpTable(), op);
  const StatusOr<op::OpSchema> schema = op::ParseSignature(line.substr(0, line.find('\n')));
  const StatusOr<op::KernelCatalog> kernels =
      op::KernelCatalog::Parse(TableLinesOf(op::TensorFlowKernelTable(), op));
  if (!schema.ok() || !kernels.ok()) return found;
  const auto allows = [&](const op::AttrMap& attrs) {
    return std::ranges::all_of(schema->attrs, [&](const op::AttrSpec& attr) {
      const auto type = attrs.GetOr<DType>(attr.name, DType::kInvalid);
      return type == DType::kInvalid || attr.allowed_types.empty() ||
             std::ranges::find(attr.allowed_types, type) != attr.allowed_types.end();
    });
  };
  for (const op::AttrMap& attrs : types) {
    if (allows(attrs) && kernels->Find(op, "CPU", attrs) != nullptr) found.push_back(attrs);
  }
  return found;
}

Tensor RandomTensor(DType dtype, const Shape& shape, const Values& values, uint64_t seed) {
  Random64 random(seed);
  Tensor t(dtype, shape);
  if (dtype == DType::kString) {
    FillStrings(random, t);
  } else if (IsComplex(dtype)) {
    std::vector<double> parts = Draw(2 * t.num_elements(), values, false, random);
    dtype == DType::kComplex64 ? FillComplex<std::complex<float>>(parts, t)
                               : FillComplex<std::complex<double>>(parts, t);
  } else if (IsPlainData(dtype)) {
    Values v = values;
    const DType plain = RepresentationOf(dtype);
    if (plain == DType::kBool) v = {.low = 0, .high = 1};
    const bool is_unsigned = plain == DType::kUint8 || plain == DType::kUint16 ||
                             plain == DType::kUint32 || plain == DType::kUint64;
    if (is_unsigned) v.low = std::max(v.low, 0.0);
    std::vector<double> drawn = Draw(t.num_elements(), v, !IsFloating(plain), random);
    if (v.specials && IsFloating(plain)) AddSpecials(drawn);
    FillNumbers(drawn, t);
  }
  return t;
}

StatusOr<std::vector<ConcreteCase>> Expand(const OpCase& c, const op::OpRegistry& ops) {
  const op::OpSchema* schema = ops.Find(c.op);
  if (schema == nullptr) return NotFound("an OpCase describes {}, which is no op", c.op);
  return Expander(c, *schema).Run();
}

std::string CheckOpCases(const std::vector<OpCase>& cases, KernelRunner& runner) {
  std::string failures;
  for (const OpCase& c : cases) {
    const StatusOr<std::vector<ConcreteCase>> concrete = Expand(c, runner.ops());
    if (!concrete.ok()) {
      failures += concrete.status().ToString() + '\n';
      continue;
    }
    for (const ConcreteCase& one : *concrete) failures += CheckOne(one, runner);
  }
  return failures;
}

}  // namespace rheo::ops
