#include <gtest/gtest.h>

#include "rheo/base/hash.h"
#include "rheo/base/ids.h"
#include "rheo/base/status.h"

namespace rheo {
namespace {

TEST(StatusTest, FormattedErrorHasCodeAndText) {
  const Status status = InvalidArgument("node '{}' has {} inputs", "w", 3);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "node 'w' has 3 inputs");
}

TEST(StatusTest, PrefixAndAppendKeepCodeAndPayloads) {
  const Status status = Append(Prefix(AsDerived(Aborted("b")), "a"), "c");
  EXPECT_EQ(Message(status), "abc");
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(status));
}

TEST(StatusTest, OkIsNeverDerived) { EXPECT_FALSE(IsDerived(AsDerived(OkStatus()))); }

// Vectors observed in rendezvous keys between TensorFlow workers.
TEST(HashTest, MatchesTensorFlowVectors) {
  EXPECT_EQ(Hash64(""), 0x81769421199f9e3bULL);
  EXPECT_EQ(Hash64("a"), 0x29962dc026eac9fcULL);
  EXPECT_EQ(Hash64("abcdefgh"), 0x2f994778e453fc52ULL);
  EXPECT_EQ(Hash64("while/while_context"), 0xbff3656e447e77d6ULL);
}

TEST(HashTest, CombineGivesFrameIdsOfTensorFlow) {
  const uint64_t outer = Hash64Combine(0, Hash64Combine(0, Hash64("while/while_context")));
  EXPECT_EQ(outer, 18186195969791715286ULL);
  EXPECT_EQ(Hash64Combine(outer, Hash64Combine(3, Hash64("inner/while_context"))),
            9633465833068743696ULL);
}

TEST(IdsTest, StepIdsArePositive57Bit) {
  for (int i = 0; i < 1000; ++i) {
    const StepId id = NewStepId();
    EXPECT_GE(id.value, 0);
    EXPECT_LT(id.value, int64_t{1} << 57);
  }
}

}  // namespace
}  // namespace rheo
