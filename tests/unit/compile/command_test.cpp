// `kernelloop compile`, as the build graph calls it.
#include "kernelloop/commands.hpp"
#include "support/error.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

#include "version_fixture.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

using testing::HasSubstr;

class CompileCommand : public VersionTest {
 protected:
  void SetUp() override {
    build_ = directory_.path() / "build dir";
    step_ = build_ / "v002";
    nvcc_ = COMPILE_TEST_NVCC;
    write_file_atomic(build_ / "contract.json",
                      to_text(split_spec(parse_json(k_spec, "op.json")).contract));
    write_config();
  }

  void write_config() {
    const std::string root = directory_.path().string();
    write_file_atomic(build_ / "config.json",
                      to_text({{"schema_version", 1},
                               {"op", "scale"},
                               {"spec", root + "/op.json"},
                               {"reference_source", root + "/reference.cpp"},
                               {"build_dir", build_.string()},
                               {"generated_dir", root + "/generated"},
                               {"reports_dir", root + "/reports"},
                               {"recordings_dir", root + "/generated"},
                               {"hints", ""},
                               {"context", Json::array()},
                               {"baselines", Json::array()},
                               {"labels", Json::array()},
                               {"versions", 3},
                               {"candidates", 1},
                               {"fix_limit", 3},
                               {"provider", "manual"},
                               {"model", ""},
                               {"sol_target", 0.9},
                               {"architectures", {"90a"}},
                               {"compile_options", Json::array()},
                               {"device", "cuda"},
                               {"nvcc", nvcc_.string()},
                               {"host_compiler", COMPILE_TEST_HOST_COMPILER},
                               {"cpu_include_dir", COMPILE_TEST_CPU_INCLUDE_DIR},
                               {"device_tool", root + "/kernelloop-device"},
                               {"reference_library", root + "/reference.so"},
                               {"device_launcher", Json::array()}}));
  }

  void propose(const std::string& status, const std::string& reason,
               const std::string& duplicate_of = "") {
    write_file_atomic(step_ / "proposed.json", to_text({{"schema_version", 1},
                                                        {"op", "scale"},
                                                        {"version", "v002"},
                                                        {"status", status},
                                                        {"source", request_.source.string()},
                                                        {"duplicate_of", duplicate_of},
                                                        {"reason", reason}}));
  }

  void run_command() {
    CLI::App app;
    add_compile_command(app);
    std::vector<std::string> arguments{"compile",
                                       "--config",
                                       (build_ / "config.json").string(),
                                       "--version",
                                       "2",
                                       "--device",
                                       "cuda",
                                       "--architectures",
                                       "90a",
                                       "--options=-DONE=1",
                                       "--options=-DTWO=2",
                                       "--depfile",
                                       (step_ / "compile.d").string()};
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(arguments);
  }

  Json written() const { return read_json(step_ / "compile.json").value; }

  std::filesystem::path build_;
  std::filesystem::path step_;
  std::filesystem::path nvcc_;
};

TEST_F(CompileCommand, WritesWhatNvccFoundAndRead) {
  if (!std::filesystem::exists(nvcc_)) GTEST_SKIP() << "there is no nvcc here";
  propose("ready", "");
  write_source(plan_comment() + "static_assert(ONE + TWO == 3);\n" + k_kernel);
  run_command();
  const Json compiled = written();
  EXPECT_EQ(compiled["op"], "scale");
  EXPECT_EQ(compiled["version"], "v002");
  EXPECT_EQ(compiled["status"], "compiled") << compiled.dump(2);
  EXPECT_EQ(compiled["artifacts"]["cuda"]["cubin"], (step_ / "kernel.cubin").string());
  // Blanks are escaped as Ninja reads them.
  const std::string root = directory_.path().string();
  EXPECT_EQ(read_file(step_ / "compile.d"), root + "/build\\ dir/v002/compile.json: \\\n  " + root +
                                                "/build\\ dir/v002/proposed.json \\\n  " + root +
                                                "/version\\ dir/kernel.cu\n");

  const auto time = std::filesystem::last_write_time(step_ / "compile.json");
  run_command();
  EXPECT_EQ(std::filesystem::last_write_time(step_ / "compile.json"), time);
}

TEST_F(CompileCommand, WritesTheVerdictOfNvccOnABadVersion) {
  if (!std::filesystem::exists(nvcc_)) GTEST_SKIP() << "there is no nvcc here";
  propose("ready", "");
  write_source("nonsense");
  run_command();
  EXPECT_EQ(written()["status"], "failed");
}

TEST_F(CompileCommand, PassesAStopOnWithoutCompiling) {
  propose("stopped", "the target is reached");
  write_file_atomic(step_ / "kernel.cubin", "old");
  run_command();
  const Json compiled = written();
  EXPECT_EQ(compiled["status"], "stopped");
  EXPECT_EQ(compiled["reason"], "the target is reached");
  EXPECT_EQ(compiled["artifacts"]["cuda"]["status"], "absent");
  EXPECT_FALSE(std::filesystem::exists(step_ / "kernel.cubin"));
  EXPECT_THAT(read_file(step_ / "compile.d"), testing::EndsWith("/v002/proposed.json\n"));
}

TEST_F(CompileCommand, AVersionSentOnceMoreIsNotCompiledUntilItIsEdited) {
  const std::filesystem::path first = directory_.path() / "generated/scale/v001/kernel.cu";
  write_file_atomic(first, plan_comment() + k_kernel);
  propose("ready", "", "v001");
  write_source(plan_comment() + "// better now\n" + k_kernel);
  run_command();
  const Json compiled = written();
  EXPECT_EQ(compiled["status"], "duplicate");
  EXPECT_EQ(compiled["reason"], "the same source as v001, sent once more");
  EXPECT_EQ(compiled["source"], request_.source.string());
  // An edit of either file runs the step again.
  EXPECT_THAT(read_file(step_ / "compile.d"), HasSubstr("kernel.cu"));
  EXPECT_THAT(read_file(step_ / "compile.d"), HasSubstr(first.string()));

  // No nvcc is needed to see that; it is to compile what has become another version.
  nvcc_.clear();
  write_config();
  run_command();
  EXPECT_EQ(written()["status"], "duplicate");
  write_source(plan_comment() + "// better now\nstatic_assert(1);\n" + k_kernel);
  EXPECT_THROW(run_command(), Error);
}

TEST_F(CompileCommand, WhatAProposalSaysOfItsTwinIsLookedAt) {
  nvcc_.clear();
  write_config();
  write_source(plan_comment() + k_kernel);
  propose("ready", "", "v001");  // there is none
  EXPECT_THROW(run_command(), Error);
  write_file_atomic(directory_.path() / "generated/scale/v001/kernel.cu",
                    plan_comment() + "int other;\n" + k_kernel);
  EXPECT_THROW(run_command(), Error);
}

TEST_F(CompileCommand, RefusesABrokenProposal) {
  write_file_atomic(step_ / "proposed.json", "{\"status\": 3}");
  try {
    run_command();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("proposed.json: member 'status' must be a string"));
  }
}

// A version that kills the compiler is a bad version; a compiler that dies of anything is none.
TEST_F(CompileCommand, AnNvccThatDiesOfEverythingStopsTheBuild) {
  nvcc_ = directory_.path() / "nvcc";
  const auto make_nvcc = [&](const std::string& dies_of) {
    write_file_atomic(nvcc_, std::string("#!/bin/sh\ncase \"$*\" in *--version*) ;; *\"") +
                                 dies_of +
                                 "\"*) echo \"nvcc error   : 'cicc' died due to signal 11\" >&2\n"
                                 "exit 11;; esac\nexec " +
                                 COMPILE_TEST_NVCC + " \"$@\"\n");
    std::filesystem::permissions(nvcc_, std::filesystem::perms::owner_all);
  };
  if (!std::filesystem::exists(COMPILE_TEST_NVCC)) GTEST_SKIP() << "there is no nvcc here";
  write_config();
  propose("ready", "");
  write_source(plan_comment() + k_kernel);
  make_nvcc("");
  try {
    run_command();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);  // its options may be what it dies of
    EXPECT_THAT(error.what(), HasSubstr("cannot compile even a kernel that does nothing"));
  }
  EXPECT_FALSE(std::filesystem::exists(step_ / "compile.json"));
  make_nvcc(request_.source.parent_path().filename().string());
  run_command();
  EXPECT_EQ(written()["status"], "failed");
  EXPECT_EQ(written()["problems"][0]["kind"], "crash");
}

TEST_F(CompileCommand, TellsThatThereIsNoNvcc) {
  nvcc_.clear();
  write_config();
  propose("ready", "");
  write_source(plan_comment() + k_kernel);
  try {
    run_command();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("there is no nvcc to compile"));
  }
}

}  // namespace
}  // namespace kernelloop
