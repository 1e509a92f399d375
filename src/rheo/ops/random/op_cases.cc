#include "rheo/ops/random/op_cases.h"

#include <string>

#include "rheo/ops/common/dtype_sets.h"

namespace rheo::ops {
namespace {

const DTypes kIndex = {DType::kInt32, DType::kInt64};
const DTypes kWords = {DType::kInt32, DType::kInt64, DType::kUint32, DType::kUint64};
// Functions like log and cos may end in another last digit.
const Tolerance kTranscendental = {.relative = 2e-5, .absolute = 2e-6};

InputSpec Words(const std::vector<uint64_t>& words) { return Literal(Tensor::Vector(words)); }

// The shape of each variant, before the other inputs.
std::vector<CaseVariant> OfShapes(const std::vector<InputSpec>& others) {
  const std::pair<const char*, std::vector<int32_t>> shapes[] = {
      {"vector", {7}}, {"matrix", {3, 5}}, {"scalar", {}}, {"empty", {0, 4}}, {"long", {1023}}};
  std::vector<CaseVariant> variants;
  for (const auto& [name, dims] : shapes) {
    CaseVariant v{.name = name, .inputs = {Ints(dims)}};
    v.inputs.insert(v.inputs.end(), others.begin(), others.end());
    variants.push_back(std::move(v));
  }
  return variants;
}

void AddStatefulCases(std::vector<OpCase>& cases) {
  const std::vector<op::AttrMap> seeds = {{{"seed", 87654321}, {"seed2", 42}},
                                          {{"seed", 0}, {"seed2", 5}}};
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    cases.push_back({.op = op,
                     .types = Product(ForTypes("dtype", Floats()), ForTypes("T", kIndex)),
                     .attrs = seeds,
                     .variants = OfShapes({}),
                     .bad = {{"negative", {Ints({-1})}}, {"matrix", {Random({2, 2})}}},
                     .tolerance = kTranscendental});
  }
  cases.push_back({.op = "RandomUniformInt",
                   .types = Product(ForTypes("Tout", kIndex), ForTypes("T", kIndex)),
                   .attrs = seeds,
                   .variants = OfShapes({Int(-3), Int(17)}),
                   .bad = {{"no_range", {Ints({2}), Int(3), Int(3)}},
                           {"vector", {Ints({2}), Ints({1, 2}), Int(3)}}}});
  cases.push_back({.op = "RandomShuffle",
                   .types = ForTypes("T", Numbers() + DTypes{DType::kBool, DType::kString}),
                   .attrs = seeds,
                   .variants = {{"vector", {Random({9})}},
                                {"matrix", {Random({6, 2})}},
                                {"one", {Random({1, 3})}},
                                {"scalar", {Random({})}},
                                {"empty", {Random({0, 2})}}}});
}

// By a seed of two numbers.
void AddStatelessCases(std::vector<OpCase>& cases) {
  const auto seed_types = ForTypes("Tseed", kIndex);
  const auto with = [&](const DTypes& dtypes) {
    return Product(Product(ForTypes("dtype", dtypes), ForTypes("T", kIndex)), seed_types);
  };
  const InputSpec seed = Ints({12, 34567});
  const std::vector<BadCall> bad = {{"negative", {Ints({-1}), seed}},
                                    {"seed_of_three", {Ints({2}), Ints({1, 2, 3})}}};
  for (const char* op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"}) {
    cases.push_back({.op = op,
                     .types = with(Floats()),
                     .variants = OfShapes({seed}),
                     .bad = bad,
                     .tolerance = kTranscendental});
  }
  cases.push_back({.op = "StatelessRandomUniformFullInt",
                   .types = with(kWords),
                   .variants = OfShapes({seed}),
                   .bad = bad});
  cases.push_back({.op = "StatelessRandomUniformInt",
                   .types = with(kIndex),
                   .variants = OfShapes({seed, Int(-3), Int(17)}),
                   .bad = {{"no_range", {Ints({2}), seed, Int(3), Int(3)}}}});
}

// By key and counter.
void AddStatelessV2Cases(std::vector<OpCase>& cases) {
  const auto with = [](const DTypes& dtypes) {
    return Product(ForTypes("dtype", dtypes), ForTypes("Tshape", kIndex));
  };
  const InputSpec key = Words({0x0123456789abcdef});
  const InputSpec counter = Words({0xfffffffffffffffe, 3});
  const InputSpec philox = Int(1);
  const std::vector<InputSpec> state = {key, counter, philox};
  const std::vector<BadCall> bad = {{"negative", {Ints({-1}), key, counter, philox}},
                                    // TensorFlow reads a word behind the counter.
                                    {.name = "short_counter",
                                     .inputs = {Ints({2}), key, Words({1}), philox},
                                     .differs_from_tensorflow = true},
                                    {"algorithm", {Ints({2}), key, counter, Int(17)}}};
  for (const char* op :
       {"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"}) {
    cases.push_back({.op = op,
                     .types = with(Floats()),
                     .variants = OfShapes(state),
                     .bad = bad,
                     .tolerance = kTranscendental});
  }
  cases.push_back({.op = "StatelessRandomUniformFullIntV2",
                   .types = with(kWords),
                   .variants = OfShapes(state),
                   .bad = bad});
  cases.push_back({.op = "StatelessRandomUniformIntV2",
                   .types = with(kIndex),
                   .variants = OfShapes({key, counter, philox, Int(3), Int(17)}),
                   .bad = {{"no_range", {Ints({2}), key, counter, philox, Int(3), Int(3)}}}});
  for (const char* op : {"StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg"}) {
    cases.push_back({.op = op,
                     .types = ForTypes("Tseed", kIndex),
                     .variants = {{"seed", {Ints({12, 34567})}}, {"negative", {Ints({-1, -2})}}},
                     .bad = {{"seed_of_three", {Ints({1, 2, 3})}}}});
  }
  cases.push_back({.op = "StatelessRandomGetAlg", .variants = {{"plain", {}}}});
}

}  // namespace

std::vector<OpCase> RandomOpCases() {
  std::vector<OpCase> cases;
  AddStatefulCases(cases);
  AddStatelessCases(cases);
  AddStatelessV2Cases(cases);
  return cases;
}

}  // namespace rheo::ops
