#include "config/op_config.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

class Config : public testing::Test {
 protected:
  OpConfig load() {
    write_file_atomic(directory_.path() / "config.json", to_text(json_));
    return load_config(directory_.path() / "config.json");
  }
  std::string complaint() {
    try {
      load();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "none";
  }

  TemporaryDirectory directory_;
  Json json_{{"op", "softmax"},
             {"spec", "/p/op.json"},
             {"reference_source", "/p/r.cpp"},
             {"build_dir", "/b/softmax"},
             {"generated_dir", "/p/g"},
             {"reports_dir", "/p/r"},
             {"versions", 8},
             {"candidates", 3},
             {"device", "cpu"}};
};

TEST_F(Config, RoundsCoverTheVersions) {
  const OpConfig config = load();
  EXPECT_EQ(config.rounds(), 3);
  EXPECT_EQ(config.round_of(3), 1);
  EXPECT_EQ(config.round_of(4), 2);
  EXPECT_EQ(config.first_of_round(3), 7);
  EXPECT_EQ(config.last_of_round(3), 8);
  EXPECT_EQ(config.history_dir(3), "/b/softmax/v008");
  EXPECT_EQ(config.version_dir(2), "/p/g/softmax/v002");
  EXPECT_EQ(config.recordings_dir, "/p/g");
}

TEST_F(Config, ReadsBudgets) {
  EXPECT_FALSE(load().budget.is_limited());
  json_["budget"] = {{"usd", 2.5}, {"tokens", nullptr}, {"requests", 7}};
  json_["run_budget"] = {{"usd", nullptr}, {"tokens", 1000}, {"requests", nullptr}};
  EXPECT_EQ(load().budget.nano_usd, 2'500'000'000);
  EXPECT_EQ(load().budget.requests, 7);
  EXPECT_EQ(load().run_budget.tokens, 1000);
  EXPECT_FALSE(load().run_budget.nano_usd);
}

TEST_F(Config, SaysWhatIsMissingOrWrongAndWhatToDo) {
  json_["versions"] = "eight";
  EXPECT_THAT(complaint(), testing::ContainsRegex("config.json:8:15: \"versions\" has the wrong "
                                                  "type; configure the project again with CMake"));
  json_["versions"] = 0;
  EXPECT_THAT(complaint(), testing::HasSubstr("\"versions\" must be at least 1"));
  json_.erase("versions");
  EXPECT_THAT(complaint(), testing::HasSubstr("lacks \"versions\""));
  json_["versions"] = 1;
  json_["device"] = "tpu";
  EXPECT_THAT(complaint(), testing::HasSubstr("\"device\" must be \"cuda\" or \"cpu\""));
}

}  // namespace
}  // namespace kernelloop
