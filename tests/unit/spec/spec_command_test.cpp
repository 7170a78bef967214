// `kernelloop spec`: three files, each written only when it changed.
#include "kernelloop/commands.hpp"
#include "support/files.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_texts.hpp"

namespace kernelloop {
namespace {

const std::string k_negative_where_small = R"({
  "name": "scale",
  "axes": {"n": {"type": "var"}},
  "inputs": {
    "a": {"shape": ["n"], "dtype": "float32"},
    "b": {"shape": ["n - 5"], "dtype": "float32"}
  },
  "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
  "workloads": [{"name": "w", "axes": {"n": 16}}]
})";

class SpecCommand : public testing::Test {
 protected:
  SpecCommand() {
    const Json config{{"op", "scale"},
                      {"spec", (directory_.path() / "op.json").string()},
                      {"build_dir", directory_.path().string()},
                      {"reference_source", "scale.cpp"},
                      {"generated_dir", directory_.path().string()},
                      {"reports_dir", directory_.path().string()},
                      {"recordings_dir", directory_.path().string()},
                      {"hints", ""},
                      {"context", Json::array()},
                      {"baselines", Json::array()},
                      {"labels", Json::array()},
                      {"versions", 1},
                      {"candidates", 1},
                      {"fix_limit", 0},
                      {"provider", "auto"},
                      {"model", ""},
                      {"sol_target", 0.9},
                      {"architectures", Json::array({"90a"})},
                      {"compile_options", Json::array()},
                      {"device", "cpu"},
                      {"nvcc", ""},
                      {"host_compiler", "c++"},
                      {"cpu_include_dir", directory_.path().string()},
                      {"device_tool", "kernelloop-device"},
                      {"reference_library", "scale_reference.so"},
                      {"device_launcher", Json::array()}};
    write_file_atomic(directory_.path() / "config.json", to_text(config));
  }

  // Runs the command and returns what it printed.
  std::string run_on(const std::string& spec) {
    write_file_atomic(directory_.path() / "op.json", spec);
    CLI::App app;
    add_spec_command(app);
    testing::internal::CaptureStdout();
    try {
      app.parse("spec --config " + (directory_.path() / "config.json").string());
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    return testing::internal::GetCapturedStdout();
  }

  TemporaryDirectory directory_;
};

TEST_F(SpecCommand, WritesWhatChangedAndSaysSo) {
  EXPECT_EQ(run_on(k_valid_spec),
            "scale: 4 axes, 2 inputs, 1 output; 2 workloads (2 for cpu), 3 extra shapes; wrote "
            "contract.json, checks.json, timing.json\n");
  const OpSpec timing = load_op_spec(directory_.path() / "timing.json");
  EXPECT_EQ(timing.workloads.size(), 2U);
  EXPECT_THAT(run_on(k_valid_spec), testing::EndsWith("; nothing changed\n"));
  EXPECT_THAT(run_on(with("0.001", "0.002")), testing::EndsWith("; wrote checks.json\n"));
}

TEST_F(SpecCommand, ABrokenSpecWritesNothing) {
  EXPECT_THROW(run_on(with("bfloat16", "bfloat17")), Error);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "contract.json"));
}

TEST_F(SpecCommand, AShapeThatCannotBeIsRefused) {
  try {
    run_on(k_negative_where_small);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("leave such shapes out with \"constraints\": "
                                                 "[\"n - 5 >= 0\"]"));
  }
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "contract.json"));
}

TEST_F(SpecCommand, TheSpecOfAnotherOpIsRefused) {
  try {
    run_on(with("\"scale\"", "\"shift\""));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("op.json:2:11: the spec is that of `shift`, "
                                                 "add_kernel_op says `scale`; make them agree"));
  }
}

}  // namespace
}  // namespace kernelloop
