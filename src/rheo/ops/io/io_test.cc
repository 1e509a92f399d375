#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "rheo/ops/common/family_test.h"
#include "rheo/ops/io/files.h"
#include "rheo/ops/io/register.h"

namespace rheo::ops {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void RegisterFreeKernels(kernel::KernelRegistry& registry) {
  RegisterIoKernels(registry, std::make_shared<FilePolicy>(FilePolicy::Everywhere()));
}

class IoTest : public ::testing::Test {
 protected:
  IoTest() {
    root_ = (fs::temp_directory_path() / "rheo-io-XXXXXX").string();
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    root_ = fs::canonical(root_).string();
    fs::create_directories(root_ + "/in/sub");
    fs::create_directories(root_ + "/in2");
    Put("in/a.txt", "alpha");
    Put("in/b.txt", "beta");
    Put("in/sub/c.txt", "gamma");
    Put("in2/secret", "top");
  }
  ~IoTest() override { fs::remove_all(root_); }

  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(root_ + "/" + name) << text;
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(root_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Kernels that keep to a policy.
  void Allow(const std::string& policy) {
    StatusOr<FilePolicy> parsed = FilePolicy::Parse(policy);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    kernels_ = std::make_unique<kernel::KernelRegistry>();
    RegisterIoKernels(*kernels_, std::make_shared<FilePolicy>(*std::move(parsed)));
    runner_ = std::make_unique<KernelRunner>(registries_->ops, *kernels_);
  }
  StatusOr<std::string> Read(const std::string& name) {
    RHEO_ASSIGN_OR_RETURN(auto out, runner_->RunOp("ReadFile", {}, {Tensor::Scalar(name)}));
    return out[0].flat<std::string>()[0];
  }
  Status Write(const std::string& name, const std::string& text) {
    return runner_->RunOp("WriteFile", {}, {Tensor::Scalar(name), Tensor::Scalar(text)}).status();
  }
  StatusOr<std::vector<std::string>> Match(const std::string& pattern) {
    RHEO_ASSIGN_OR_RETURN(auto out, runner_->RunOp("MatchingFiles", {}, {Tensor::Scalar(pattern)}));
    const auto names = out[0].flat<std::string>();
    return std::vector<std::string>(names.begin(), names.end());
  }
  static StatusCode CodeOf(const auto& result) { return result.status().code(); }

  std::string root_;
  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterIoSchemas, &RegisterFreeKernels);
  std::unique_ptr<kernel::KernelRegistry> kernels_;
  std::unique_ptr<KernelRunner> runner_ =
      std::make_unique<KernelRunner>(registries_->ops, registries_->kernels);
};

TEST_F(IoTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, IoOps()); }

TEST_F(IoTest, ReadsAndWritesWholeFilesAndMakesFolders) {
  EXPECT_EQ(Read(root_ + "/in/a.txt").value(), "alpha");
  EXPECT_EQ(Read("file://" + root_ + "/in/a.txt").value(), "alpha");
  EXPECT_EQ(Write(root_ + "/new/deep/x", std::string("\0y", 2)), OkStatus());
  EXPECT_EQ(Get("new/deep/x"), std::string("\0y", 2));
  EXPECT_EQ(Write(root_ + "/in/a.txt", "z"), OkStatus());
  EXPECT_EQ(Get("in/a.txt"), "z");
}

TEST_F(IoTest, ErrorsHaveTensorFlowsCodesAndNameTheFile) {
  EXPECT_EQ(Read(root_ + "/none").status(), NotFound("{}/none; No such file or directory", root_));
  EXPECT_EQ(Read(root_ + "/in").status(),
            Status(StatusCode::kFailedPrecondition, root_ + "/in; Is a directory"));
  EXPECT_EQ(CodeOf(Read("")), StatusCode::kNotFound);
  EXPECT_EQ(Read("s3://b/c").status(),
            Unimplemented("File system scheme 's3' not implemented (file: 's3://b/c')"));
  EXPECT_EQ(Write(root_ + "/in", "x").code(), StatusCode::kFailedPrecondition);
  const std::string with_zero = root_ + std::string("/in/a.txt\0b", 11);
  EXPECT_EQ(CodeOf(Read(with_zero)), StatusCode::kInvalidArgument);
  EXPECT_EQ(Write(with_zero, "x").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(Match(with_zero + "*")), StatusCode::kInvalidArgument);
  const auto two = runner_->RunOp("ReadFile", {}, {Tensor::Of<std::string>({2}, {"a", "b"})});
  EXPECT_EQ(two.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(IoTest, MatchesWithinOneLevelAndSorts) {
  EXPECT_THAT(Match(root_ + "/in/*.txt").value(),
              ElementsAre(root_ + "/in/a.txt", root_ + "/in/b.txt"));
  EXPECT_THAT(Match(root_ + "/*/sub/c*").value(), ElementsAre(root_ + "/in/sub/c.txt"));
  EXPECT_THAT(Match(root_ + "/in/[b-z]*").value(),
              ElementsAre(root_ + "/in/b.txt", root_ + "/in/sub"));
  EXPECT_THAT(Match("file://" + root_ + "/in/a*").value(),
              ElementsAre("file://" + root_ + "/in/a.txt"));
  EXPECT_THAT(Match(root_ + "/in/a.txt").value(), ElementsAre(root_ + "/in/a.txt"));
  EXPECT_TRUE(Match(root_ + "/none/*").value().empty());
  EXPECT_TRUE(Match("").value().empty());
}

TEST_F(IoTest, WhatHasNoEndIsReadToALimit) {
  const auto endless = Read("/dev/zero");
  EXPECT_EQ(endless.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Message(endless.status())),
              AllOf(HasSubstr("/dev/zero"), HasSubstr("67108864 bytes")));
  EXPECT_EQ(Read("/dev/null").value(), "");
  EXPECT_THAT(Read("/proc/self/status").value(), HasSubstr("Pid:"));
}

TEST_F(IoTest, AStoppedStepReadsAndFindsNothingMore) {
  StopSource stop;
  stop.request_stop();
  const FilePolicy everywhere = FilePolicy::Everywhere();
  const auto read = ReadWholeFile(everywhere, root_ + "/in/a.txt", stop.get_token());
  EXPECT_EQ(read.status().code(), StatusCode::kCancelled);
  const auto found = MatchFiles(everywhere, root_ + "/*", stop.get_token());
  EXPECT_EQ(found.status().code(), StatusCode::kCancelled);
}

TEST_F(IoTest, APolicyOfFoldersKeepsToThem) {
  Allow(root_ + "/in");
  EXPECT_EQ(Read(root_ + "/in/sub/../a.txt").value(), "alpha");
  EXPECT_EQ(Write(root_ + "/in/new/x", "1"), OkStatus());
  const StatusOr<std::string> outside = Read(root_ + "/in2/secret");
  EXPECT_EQ(CodeOf(outside), StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(Message(outside.status())),
              AllOf(HasSubstr(root_ + "/in2/secret"), HasSubstr("files in " + root_ + "/in")));
  for (const std::string& path :
       {root_ + "/in/../in2/secret", root_ + "/in/none/../../in2/secret", root_ + "/in2/new",
        std::string("/etc/passwd"), std::string("relative"), std::string("")}) {
    EXPECT_EQ(CodeOf(Read(path)), StatusCode::kPermissionDenied) << path;
    EXPECT_EQ(Write(path, "x").code(), StatusCode::kPermissionDenied) << path;
  }
  EXPECT_EQ(Get("in2/secret"), "top");
  EXPECT_FALSE(fs::exists(root_ + "/in2/new"));
}

TEST_F(IoTest, LinksDoNotLeadOutOfTheFolders) {
  Allow(root_ + "/in");
  fs::create_symlink(root_ + "/in2", root_ + "/in/out");
  fs::create_symlink("../in2/secret", root_ + "/in/link");
  fs::create_symlink(root_ + "/in2/made", root_ + "/in/dangling");
  fs::create_symlink("a.txt", root_ + "/in/inside");
  EXPECT_EQ(Read(root_ + "/in/inside").value(), "alpha");
  for (const char* name : {"/in/out/secret", "/in/link", "/in/dangling", "/in/out/made"}) {
    EXPECT_EQ(CodeOf(Read(root_ + name)), StatusCode::kPermissionDenied) << name;
    EXPECT_EQ(Write(root_ + name, "x").code(), StatusCode::kPermissionDenied) << name;
  }
  EXPECT_EQ(Get("in2/secret"), "top");
  EXPECT_FALSE(fs::exists(root_ + "/in2/made"));
  EXPECT_THAT(Match(root_ + "/in/*").value(), ElementsAre(root_ + "/in/a.txt", root_ + "/in/b.txt",
                                                          root_ + "/in/inside", root_ + "/in/sub"));
  EXPECT_TRUE(Match(root_ + "/in/o*/*").value().empty());
  EXPECT_EQ(CodeOf(Match(root_ + "/in2/*")), StatusCode::kPermissionDenied);
  EXPECT_EQ(CodeOf(Match("/etc/pass*")), StatusCode::kPermissionDenied);
}

TEST_F(IoTest, WhereNothingIsAllowedKernelsCannotBeMade) {
  Allow("none");
  const Status status = Read(root_ + "/in/a.txt").status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("ReadFile"));
}

TEST(FilePolicyTest, NamesFoldersThatAreNotThere) {
  const auto policy = FilePolicy::Parse("/tmp,/no/such/folder");
  EXPECT_EQ(policy.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(policy.status())), HasSubstr("/no/such/folder"));
  EXPECT_EQ(FilePolicy::Parse("any")->Describe(), "all files");
  EXPECT_EQ(FilePolicy::Parse("none")->Describe(), "no files");
}

}  // namespace
}  // namespace rheo::ops
