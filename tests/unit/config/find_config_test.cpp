#include "config/find_config.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FindConfig : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(root_.path());
  }
  void TearDown() override { fs::current_path(before_); }
  static void put(const std::string& build_dir, const std::string& op) {
    write_file_atomic(fs::path(build_dir) / "kernelloop" / op / "config.json", "{}");
  }
  static std::string error_of(const fs::path& build_dir, const std::string& op) {
    try {
      find_config(build_dir, op);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return {};
  }

  TemporaryDirectory root_;
  fs::path before_;
};

TEST_F(FindConfig, TheBuildDirectoryIsFoundFromTheSources) {
  EXPECT_EQ(choose_build_dir(""), ".");
  put("build/release", "softmax");
  EXPECT_EQ(choose_build_dir(""), "build/release");
  put("build", "softmax");
  EXPECT_EQ(choose_build_dir(""), "build");
  put(".", "softmax");
  EXPECT_EQ(choose_build_dir(""), ".");
  EXPECT_EQ(choose_build_dir("elsewhere"), "elsewhere");
}

TEST_F(FindConfig, OperatorsAreFoundByName) {
  put("b", "softmax");
  put("b", "rope");
  write_file_atomic("b/kernelloop/context-index/x.sqlite", "an index, no operator");
  ASSERT_EQ(all_configs("b").size(), 2u);
  EXPECT_EQ(all_configs("b")[0], fs::path("b/kernelloop/rope/config.json"));
  EXPECT_EQ(find_config("b", "softmax"), fs::path("b/kernelloop/softmax/config.json"));
}

TEST_F(FindConfig, SaysWhatThereIs) {
  EXPECT_THAT(error_of("b", "softmax"), HasSubstr("there is no operator in the build directory b; "
                                                  "name another with --build-dir"));
  put("b", "softmax");
  EXPECT_THAT(error_of("b", "sofmax"), HasSubstr("did you mean `softmax`?"));
  for (const char* name : {"../b", ".", "..", "softmax/../softmax", ""}) {
    EXPECT_THAT(error_of("b", name), HasSubstr("there is no operator '")) << name;
  }
}

}  // namespace
}  // namespace kernelloop
