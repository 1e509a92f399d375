#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "rheo/base/hash.h"
#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/base/stderr.h"

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

// A pipe as this process's stderr.
class StderrPipe {
 public:
  StderrPipe() : usual_(dup(STDERR_FILENO)) {
    EXPECT_EQ(pipe(ends_), 0);
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }
  ~StderrPipe() {
    dup2(usual_, STDERR_FILENO);
    close(usual_);
    CloseReader();
  }
  void CloseReader() {
    if (ends_[0] >= 0) close(std::exchange(ends_[0], -1));
  }
  // What is in it now.
  std::string Read() const {
    std::string text;
    pollfd fd{.fd = ends_[0], .events = POLLIN};
    char piece[4096];
    while (poll(&fd, 1, 0) > 0)
      text.append(piece, static_cast<size_t>(read(ends_[0], piece, 4096)));
    return text;
  }

 private:
  const int usual_;
  int ends_[2];
};

TEST(StderrTest, AReaderWhoStopsHoldsNobodyUpAndLearnsWhatHeMissed) {
  const StderrPipe pipe;
  WriteToStderr(std::string(200'000, 'x'));  // more than a pipe takes
  for (int i = 0; i < 1000; ++i) PrintToStderr("line {}\n", i);
  EXPECT_THAT(pipe.Read(), testing::MatchesRegex("x+"));
  PrintToStderr("line {}\n", 1000);
  EXPECT_EQ(pipe.Read(), "\n[1001 messages were not written: nobody read them]\nline 1000\n");
}

TEST(StderrTest, AReaderWhoHasGoneIsNoError) {
  const auto usual = signal(SIGPIPE, SIG_IGN);
  {
    StderrPipe pipe;
    pipe.CloseReader();
    WriteToStderr("nobody hears this\n");
  }
  signal(SIGPIPE, usual);
  const StderrPipe pipe;
  WriteToStderr("this is heard\n");
  EXPECT_THAT(pipe.Read(), testing::EndsWith("this is heard\n"));
}

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
