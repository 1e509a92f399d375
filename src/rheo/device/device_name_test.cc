#include "rheo/device/device_name.h"

#include <gtest/gtest.h>

namespace rheo::device {
namespace {

DeviceName Parse(std::string_view text) {
  StatusOr<DeviceName> name = DeviceName::Parse(text);
  EXPECT_TRUE(name.ok()) << text << ": " << name.status();
  return name.ok() ? *name : DeviceName{};
}

struct Spelling {
  const char* text;
  const char* canonical;
};

TEST(DeviceNameTest, SpellingsHaveOneCanonicalForm) {
  const Spelling spellings[] = {
      {"/job:ps/replica:0/task:1/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0"},
      {"/device:GPU:2/task:3/job:w_1", "/job:w_1/task:3/device:GPU:2"},
      {"/cpu:0", "/device:CPU:0"},
      {"/CPU:1", "/device:CPU:1"},
      {"/gpu:*", "/device:GPU:*"},
      {"/GPU:7", "/device:GPU:7"},
      {"CPU:0", "/device:CPU:0"},
      {"cpu:0", "/device:CPU:0"},
      {"gpu:3", "/device:GPU:3"},
      {"/device:CPU", "/device:CPU:*"},
      {"/device:CPU:*", "/device:CPU:*"},
      {"/device:*", ""},
      {"/device:*:3", "/device:*:3"},
      {"/job:*/replica:*/task:*", ""},
      {"/job:a/job:b", "/job:b"},
      {"/job:a/job:*", ""},
      {"/device:GPU:1/cpu:0", "/device:CPU:0"},
      {"/job:w/task:1", "/job:w/task:1"},
      {"/", ""},
      {"", ""},
  };
  for (const Spelling& s : spellings) EXPECT_EQ(Parse(s.text).ToString(), s.canonical) << s.text;
}

TEST(DeviceNameTest, CanonicalFormsParseToThemselves) {
  for (const char* text :
       {"/job:ps/replica:0/task:1/device:CPU:0", "/device:*:3", "/task:4", "/job:a/device:GPU:*"}) {
    EXPECT_EQ(Parse(Parse(text).ToString()), Parse(text));
  }
}

TEST(DeviceNameTest, MalformedSpecificationsAreNamed) {
  for (const char* text : {"/job",
                           "/job:",
                           "/job:1a",
                           "/job:a-b",
                           "/job:a b",
                           "/replica:x",
                           "/replica:-1",
                           "/task:",
                           "/task:99999999999",
                           "/device:",
                           "/device::0",
                           "/device:CPU:",
                           "/device:CPU:x",
                           "/cpu",
                           "/cpu:",
                           "//",
                           "/job:a/",
                           "job:a",
                           "cpu",
                           "CPU:",
                           "CPU:0/",
                           ":0",
                           "*:0",
                           "/what:1",
                           "/job:a,/job:b"}) {
    const StatusOr<DeviceName> name = DeviceName::Parse(text);
    ASSERT_EQ(name.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(Message(name.status()), std::string("malformed device specification '") + text + "'");
  }
}

TEST(DeviceNameTest, PartsAndFullness) {
  const DeviceName full = Parse("/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_TRUE(full.is_full());
  EXPECT_EQ(full.TaskPart().ToString(), "/job:ps/replica:0/task:1");
  EXPECT_EQ(full.LocalPart().ToString(), "/device:CPU:0");
  EXPECT_FALSE(full.TaskPart().is_full());
  EXPECT_TRUE(full.TaskPart().has_task());
  EXPECT_FALSE(full.LocalPart().has_task());
  EXPECT_TRUE(Parse("/").empty());
}

TEST(DeviceNameTest, CompatibleUnlessAPartDiffers) {
  const DeviceName spec = Parse("/job:ps/device:CPU:*");
  EXPECT_TRUE(spec.IsCompatibleWith(Parse("/job:ps/task:1/cpu:0")));
  EXPECT_TRUE(spec.IsCompatibleWith(Parse("/replica:3")));
  EXPECT_FALSE(spec.IsCompatibleWith(Parse("/job:worker")));
  EXPECT_FALSE(spec.IsCompatibleWith(Parse("/gpu:0")));
}

TEST(DeviceNameTest, CoversNeedsEveryNamedPart) {
  const DeviceName full = Parse("/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_TRUE(Parse("/job:ps/device:CPU:*").Covers(full));
  EXPECT_TRUE(Parse("/").Covers(full));
  EXPECT_FALSE(Parse("/job:ps/task:0").Covers(full));
  EXPECT_FALSE(full.Covers(Parse("/job:ps")));
}

TEST(DeviceNameTest, SameTaskNeedsAllThreeParts) {
  const DeviceName a = Parse("/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_TRUE(a.SameTask(Parse("/job:ps/replica:0/task:1/device:GPU:3")));
  EXPECT_FALSE(a.SameTask(Parse("/job:ps/replica:0/task:2")));
  EXPECT_FALSE(Parse("/job:ps/task:1").SameTask(Parse("/job:ps/task:1")));
}

TEST(DeviceNameTest, CompletedFromKeepsItsOwnParts) {
  const DeviceName task = Parse("/job:w/replica:0/task:2/cpu:0");
  EXPECT_EQ(Parse("/job:ps/gpu:*").CompletedFrom(task).ToString(),
            "/job:ps/replica:0/task:2/device:GPU:0");
}

TEST(DeviceNameTest, JobAndTaskNames) {
  EXPECT_TRUE(IsValidJobName("worker_1"));
  for (const char* bad : {"", "1a", "_a", "a-b", "*", "a:"}) EXPECT_FALSE(IsValidJobName(bad));
  EXPECT_EQ(TaskName("ps", 3), "/job:ps/replica:0/task:3");
}

TEST(DeviceNameTest, AWrittenNameIsATaskAndADeviceWithinIt) {
  EXPECT_EQ(TaskOf("/job:ps/replica:0/task:1/device:CPU:0"), "/job:ps/replica:0/task:1");
  EXPECT_EQ(DeviceWithinTask("/job:ps/replica:0/task:1/device:CPU:0"), "/device:CPU:0");
  EXPECT_EQ(TaskOf("/job:ps/replica:0/task:1"), "/job:ps/replica:0/task:1");
  EXPECT_EQ(DeviceWithinTask("/job:ps/replica:0/task:1"), "");
  EXPECT_EQ(TaskOf(""), "");
}

}  // namespace
}  // namespace rheo::device
