#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rheo/ops/common/family_test.h"
#include "rheo/ops/random/philox.h"
#include "rheo/ops/random/register.h"

namespace rheo::ops {
namespace {

using Json = nlohmann::json;

TEST(PhiloxTest, GivesTheKnownBlocks) {
  EXPECT_EQ(Philox({0, 0}, {0, 0, 0, 0}).Next(),
            (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({1, 0}, {0, 0, 2, 0}).Next(),
            (Philox::Block{0xe73404cf, 0x8cedc5d3, 0x3f071736, 0x0a0afddd}));
}

TEST(PhiloxTest, SkippingCarriesIntoTheNextWords) {
  Philox skipped({1, 2}, {0xffffffff, 0xffffffff, 0xffffffff, 7});
  skipped.Skip(1);
  EXPECT_EQ(skipped.Next(), Philox({1, 2}, {0, 0, 0, 8}).Next());
  Philox far({1, 2}, {1, 0, 0, 0});
  far.Skip(uint64_t{1} << 33);
  EXPECT_EQ(far.Next(), Philox({1, 2}, {1, 2, 0, 0}).Next());
}

Json ReadGolden(const std::string& name) {
  const char* const root = std::getenv("RHEO_SOURCE_DIR");
  if (root == nullptr) return Json();
  std::ifstream file(std::string(root) + "/tests/golden/" + name);
  return Json::parse(file, nullptr, /*allow_exceptions=*/false);
}

DType DTypeOfName(const std::string& name) {
  if (name == "float32") return DType::kFloat;
  if (name == "float64") return DType::kDouble;
  if (name == "float16") return DType::kHalf;
  return *ParseDType(name);
}

Tensor IntegerOf(DType dtype, int64_t value) {
  return dtype == DType::kInt32 ? Tensor::Scalar<int32_t>(static_cast<int32_t>(value))
                                : Tensor::Scalar<int64_t>(value);
}

// Bit for bit: the golden numbers are exact to the element type.
template <typename T>
bool Equals(T actual, const Json& expected) {
  if constexpr (std::is_integral_v<T>) {
    return actual == expected.get<T>();
  } else if constexpr (std::is_same_v<T, double>) {
    return actual == expected.get<double>();
  } else {
    return static_cast<float>(actual) == static_cast<float>(expected.get<double>());
  }
}

template <typename T>
int CountDifferences(const Tensor& actual, const Json& expected) {
  const std::span<const T> values = actual.flat<T>();
  if (values.size() != expected.size()) return -1;
  int differences = 0;
  for (size_t i = 0; i < values.size(); ++i)
    differences += Equals<T>(values[i], expected[i]) ? 0 : 1;
  return differences;
}

int CountDifferences(const Tensor& actual, const Json& expected) {
  switch (actual.dtype()) {
    case DType::kFloat:
      return CountDifferences<float>(actual, expected);
    case DType::kDouble:
      return CountDifferences<double>(actual, expected);
    case DType::kHalf:
      return CountDifferences<Half>(actual, expected);
    case DType::kBfloat16:
      return CountDifferences<Bfloat16>(actual, expected);
    case DType::kInt32:
      return CountDifferences<int32_t>(actual, expected);
    case DType::kInt64:
      return CountDifferences<int64_t>(actual, expected);
    case DType::kUint32:
      return CountDifferences<uint32_t>(actual, expected);
    case DType::kUint64:
      return CountDifferences<uint64_t>(actual, expected);
    default:
      return -2;
  }
}

class RandomTest : public ::testing::Test {
 protected:
  std::vector<Tensor> Run(PreparedKernel& kernel, std::vector<Tensor> inputs) {
    StatusOr<std::vector<Tensor>> out = kernel.Run(std::move(inputs));
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? *std::move(out) : std::vector<Tensor>(3);
  }
  std::unique_ptr<PreparedKernel> Prepare(const std::string& op, op::AttrMap attrs,
                                          const std::vector<Tensor>& inputs) {
    StatusOr<std::unique_ptr<PreparedKernel>> made = runner_.Prepare(op, std::move(attrs), inputs);
    EXPECT_TRUE(made.ok()) << op << ": " << made.status();
    return *std::move(made);
  }

  // Both runs of one kernel, against the golden ones.
  void CheckStateful(const Json& golden) {
    const auto op = golden["op"].get<std::string>();
    op::AttrMap attrs;
    DType dtype = DType::kInvalid;
    for (const auto& [name, value] : golden["attrs"].items()) {
      if (value.is_string()) {
        dtype = DTypeOfName(value.get<std::string>());
        attrs.Set(name, dtype);
      } else {
        attrs.Set(name, value.get<int64_t>());
      }
    }
    std::vector<Tensor> inputs;
    if (op == "RandomShuffle") {
      std::vector<int32_t> rows(20);
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i);
      inputs.push_back(Tensor::Vector(rows));
    } else {
      inputs.push_back(Tensor::Vector(golden["inputs"]["shape"].get<std::vector<int32_t>>()));
    }
    if (op == "RandomUniformInt") {
      for (const char* bound : {"minval", "maxval"}) {
        inputs.push_back(IntegerOf(dtype, golden["inputs"][bound].get<int64_t>()));
      }
    }
    auto kernel = Prepare(op, attrs, inputs);
    for (const Json& run : golden["runs"]) {
      EXPECT_EQ(CountDifferences(Run(*kernel, inputs)[0], run["output"]), 0)
          << golden["attrs"].dump() << ' ' << op;
    }
  }

  static Tensor SeedOf(const Json& golden) {
    return Tensor::Vector(golden["inputs"]["seed"].get<std::vector<int64_t>>());
  }

  // Both versions of the op: from the seed, and from the key and counter made of it.
  void CheckStateless(const Json& golden) {
    const auto op = golden["op"].get<std::string>();
    const Tensor seed = SeedOf(golden);
    const std::vector<Tensor> key_counter_alg =
        Run(*Prepare("StatelessRandomGetKeyCounterAlg", {}, {seed}), {seed});
    const DType dtype = DTypeOfName(golden["attrs"]["dtype"].get<std::string>());
    const Tensor shape = Tensor::Vector(golden["inputs"]["shape"].get<std::vector<int32_t>>());
    std::vector<Tensor> first = {shape, seed};
    std::vector<Tensor> second = {shape, key_counter_alg[0], key_counter_alg[1],
                                  key_counter_alg[2]};
    if (op == "StatelessRandomUniformInt") {
      for (const char* bound : {"minval", "maxval"}) {
        const Tensor value = IntegerOf(dtype, golden["inputs"][bound].get<int64_t>());
        first.push_back(value);
        second.push_back(value);
      }
    }
    const op::AttrMap attrs = {{"dtype", dtype}};
    const Json& expected = golden["runs"][0]["output"];
    EXPECT_EQ(CountDifferences(Run(*Prepare(op, attrs, first), first)[0], expected), 0)
        << op << ' ' << golden["attrs"].dump();
    EXPECT_EQ(CountDifferences(Run(*Prepare(op + "V2", attrs, second), second)[0], expected), 0)
        << op << "V2 " << golden["attrs"].dump();
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterRandomSchemas, &RegisterRandomKernels);
  ThreadPool pool_{{.name = "ops", .num_threads = 2}};
  KernelRunner runner_{registries_->ops, registries_->kernels, &pool_};
};

TEST_F(RandomTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, RandomOps()); }

TEST_F(RandomTest, StatefulOpsGiveTensorFlowsSequences) {
  const Json cases = ReadGolden("random.json");
  ASSERT_TRUE(cases.is_array());
  int checked = 0;
  for (const Json& golden : cases) {
    const auto op = golden["op"].get<std::string>();
    if (registries_->kernels.catalog().HasOp(op) && !op.starts_with("Stateless")) {
      CheckStateful(golden);
      ++checked;
    }
  }
  EXPECT_GE(checked, 57);
}

TEST_F(RandomTest, StatelessOpsGiveTensorFlowsNumbers) {
  const Json cases = ReadGolden("random.json");
  ASSERT_TRUE(cases.is_array());
  int checked = 0;
  for (const Json& golden : cases) {
    const auto op = golden["op"].get<std::string>();
    if (op.starts_with("Stateless") && registries_->kernels.catalog().HasOp(op + "V2")) {
      CheckStateless(golden);
      ++checked;
    }
  }
  EXPECT_GE(checked, 48);
}

TEST_F(RandomTest, KeyAndCounterAreTensorFlows) {
  int checked = 0;
  for (const Json& golden : ReadGolden("random.json")) {
    if (golden["op"] != "StatelessRandomGetKeyCounter") continue;
    const Tensor seed = SeedOf(golden);
    for (const char* op : {"StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg"}) {
      const std::vector<Tensor> out = Run(*Prepare(op, {}, {seed}), {seed});
      EXPECT_EQ(CountDifferences(out[0], golden["runs"][0]["key"]), 0);
      EXPECT_EQ(CountDifferences(out[1], golden["runs"][0]["counter"]), 0);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 3);
  EXPECT_EQ(Run(*Prepare("StatelessRandomGetAlg", {}, {}), {})[0], Tensor::Scalar<int32_t>(1));
}

TEST_F(RandomTest, ThreadsDoNotChangeTheNumbers) {
  const Tensor shape = Tensor::Vector<int32_t>({200003});
  const op::AttrMap attrs = {{"dtype", DType::kFloat}, {"seed", 1}, {"seed2", 2}};
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    KernelRunner alone(registries_->ops, registries_->kernels);
    auto expected = alone.RunOp(op, attrs, {shape});
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_EQ(Run(*Prepare(op, attrs, {shape}), {shape})[0], (*expected)[0]) << op;
  }
}

TEST_F(RandomTest, WithoutSeedsKernelsDiffer) {
  const Tensor shape = Tensor::Vector<int32_t>({8});
  const op::AttrMap attrs = {{"dtype", DType::kFloat}};
  EXPECT_FALSE(Run(*Prepare("RandomUniform", attrs, {shape}), {shape})[0] ==
               Run(*Prepare("RandomUniform", attrs, {shape}), {shape})[0]);
}

TEST_F(RandomTest, ShufflingMovesWholeRows) {
  const Tensor rows = Tensor::Of<std::string>({3, 2}, {"a", "A", "b", "B", "c", "C"});
  const op::AttrMap attrs = {{"seed", 11}, {"seed2", 22}};
  const Tensor shuffled = Run(*Prepare("RandomShuffle", attrs, {rows}), {rows})[0];
  std::string first;
  for (size_t i = 0; i < 6; i += 2) {
    EXPECT_EQ(shuffled.flat<std::string>()[i + 1][0] - 'A',
              shuffled.flat<std::string>()[i][0] - 'a');
    first += shuffled.flat<std::string>()[i];
  }
  std::ranges::sort(first);
  EXPECT_EQ(first, "abc");
}

TEST_F(RandomTest, MistakesAreInvalidArguments) {
  const auto fail = [&](std::string_view op, op::AttrMap attrs, std::vector<Tensor> inputs) {
    return runner_.RunOp(op, std::move(attrs), std::move(inputs)).status().code();
  };
  const Tensor shape = Tensor::Vector<int32_t>({3});
  const Tensor five = Tensor::Scalar<int32_t>(5);
  EXPECT_EQ(fail("RandomUniformInt", {}, {shape, five, five}), StatusCode::kInvalidArgument);
  EXPECT_EQ(fail("RandomUniform", {{"dtype", DType::kFloat}}, {Tensor::Vector<int32_t>({-1})}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(fail("StatelessRandomUniform", {}, {shape, Tensor::Vector<int64_t>({1, 2, 3})}),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rheo::ops
