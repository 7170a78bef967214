#include "product/adopted.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

namespace kernelloop {
namespace {

AdoptedVersion entry() {
  return {"v004", "abc", "cuda", "NVIDIA H200", "reports/op/nvidia-h200.json", "def",
          41.5,   0.88,  1};
}

TEST(Adopted, SurvivesTheFile) {
  const TemporaryDirectory directory;
  Adopted adopted;
  adopted.op = "softmax";
  adopted.architectures["90a"] = entry();
  adopted.architectures["80"] = entry();
  adopted.architectures["80"].sol = std::nullopt;
  write_file_atomic(directory.path() / "adopted.json", to_text(to_json(adopted)));
  const std::optional<Adopted> read = read_adopted(directory.path() / "adopted.json");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->op, "softmax");
  EXPECT_EQ(read->architectures, adopted.architectures);
}

TEST(Adopted, AMissingFileIsNothing) {
  EXPECT_FALSE(read_adopted("/nonexistent/adopted.json").has_value());
}

TEST(Adopted, AMissingMemberIsNamed) {
  const TemporaryDirectory directory;
  Adopted adopted;
  adopted.op = "softmax";
  adopted.architectures["90a"] = entry();
  for (const char* member :
       {"version", "source_sha256", "device", "evidence", "evidence_sha256", "time_us", "rules"}) {
    Json json = to_json(adopted);
    json["architectures"]["90a"].erase(member);
    write_file_atomic(directory.path() / "adopted.json", to_text(json));
    try {
      read_adopted(directory.path() / "adopted.json");
      ADD_FAILURE() << "no error without " << member;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), testing::HasSubstr(member));
    }
  }
}

TEST(Adopted, KnowsWhetherAGpuVouches) {
  Adopted adopted;
  adopted.architectures["80"] = entry();
  adopted.architectures["80"].device_kind = "cpu";
  EXPECT_EQ(adopted.on_gpu(), nullptr);
  adopted.architectures["90a"] = entry();
  EXPECT_EQ(adopted.on_gpu(), &adopted.architectures["90a"]);
}

TEST(DeviceSlug, IsAFileName) {
  EXPECT_EQ(device_slug("cuda", "NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(device_slug("cuda", "NVIDIA RTX 6000 (Ada) "), "nvidia-rtx-6000-ada");
  EXPECT_EQ(device_slug("cpu", "Some Processor"), "cpu");
  EXPECT_EQ(device_slug("cuda", "../.."), "device");
}

}  // namespace
}  // namespace kernelloop
