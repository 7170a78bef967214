#include "bundle/bundle.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class BundleTest : public testing::Test {
 protected:
  BundleTest() {
    write_file_atomic(at("op/contract.json"), "{}\n");
    write_file_atomic(at("op/reference.so"), "library");
    write_file_atomic(at("op/v001/kernel.cubin"), "cubin");
    write_file_atomic(at("op/v001/kernel.so"), "for the CPU device");
    write_file_atomic(at("op/v001/compile.json"),
                      to_text({{"source", at("generated/kernel.cu").string()},
                               {"dependencies", {at("x.h").string()}},
                               {"artifacts",
                                {{"cuda",
                                  {{"status", "built"},
                                   {"cubin", at("op/v001/kernel.cubin").string()},
                                   {"cubins", {{"90a", at("op/v001/kernel.cubin").string()}}},
                                   {"ptx", ""}}},
                                 {"cpu", {{"library", at("op/v001/kernel.so").string()}}}}}}));
    // Stands for kernelloop-device: says what it was told, and writes beside what it is to write.
    write_file_atomic(at("program"),
                      "#!/bin/sh\n"
                      "echo \"$@\" | sed 's|/[^ ]*/out[^ ]*|OUT|'\n"
                      "echo trouble >&2\n"
                      "while [ \"$1\" != --output ]; do shift; done\n"
                      "cat contract/contract.json compiled/kernel.cubin >\"$2\"\n"
                      "echo samples >\"${2%/*}/samples.json\"\n"
                      "exit 3\n");
    fs::permissions(at("program"), fs::perms::owner_all);
  }

  [[nodiscard]] fs::path at(const std::string& name) const { return root_.path() / name; }
  [[nodiscard]] StepLine line() const {
    return {"bench",
            {"--contract", at("op/contract.json").string(), "--compiled",
             at("op/v001/compile.json").string(), "--reference=" + at("op/reference.so").string(),
             "--device", "cuda", "--rules", "4", "--cache-dir", at("cache").string(), "--output",
             at("op/v001/bench.json").string()}};
  }
  [[nodiscard]] fs::path make(const std::string& into = "bundles") const {
    return make_bundle(line(), at("program"), at(into));
  }
  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  TemporaryDirectory root_;
};

TEST_F(BundleTest, HoldsWhatTheStepReadsAndNoPathOfThisMachine) {
  const fs::path folder = make();
  EXPECT_EQ(folder.filename(), sha256(read_file(folder / "bundle.json")));
  const Bundle bundle = load_bundle(folder);
  EXPECT_EQ(bundle.line.step, "bench");
  EXPECT_THAT(
      bundle.line.arguments,
      ElementsAre("--contract", "contract/contract.json", "--compiled", "compiled/compile.json",
                  "--reference", "reference/reference.so", "--device", "cuda", "--rules", "4",
                  "--cache-dir", "{cache}", "--output", "{out}/bench.json"));
  const Json compiled = read_json(folder / "compiled/compile.json").value;
  EXPECT_EQ(compiled["artifacts"]["cuda"]["cubins"]["90a"], "kernel.cubin");
  EXPECT_FALSE(compiled["artifacts"].contains("cpu")) << "the other device's artefact";
  EXPECT_EQ(read_file(folder / "compiled/kernel.cubin"), "cubin");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(read_file(entry.path()), testing::Not(HasSubstr(root_.path().string())));
  }
}

TEST_F(BundleTest, TheSameContentHasTheSameAddress) {
  const fs::path first = make();
  EXPECT_EQ(make(), first);
  EXPECT_EQ(make("elsewhere").filename(), first.filename());
  write_file_atomic(at("op/v001/kernel.cubin"), "another");
  EXPECT_NE(make().filename(), first.filename());
}

TEST_F(BundleTest, ADamagedBundleIsNotRun) {
  const fs::path folder = make();
  write_file_atomic(folder / "compiled/kernel.cubin", "half of it");
  EXPECT_THAT(error_of([&] { load_bundle(folder); }), HasSubstr("is not the file that the bundle"));
}

TEST_F(BundleTest, RunsAnywhereAndItsFilesComeToWhereTheyWereAskedFor) {
  const fs::path moved = at("another host");
  fs::rename(make(), moved);
  const Bundle bundle = load_bundle(moved);
  const Json result = run_bundle(bundle, at("program"), at("its cache"));
  EXPECT_EQ(result["exit_code"], 3);
  EXPECT_THAT(result["output"].get<std::string>(),
              HasSubstr("--cache-dir " + at("its cache").string()));

  const fs::path file = at("result.json");
  write_file_atomic(file, to_text(result));
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(collect_result(bundle, read_json(file), line()), 3);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("bench --contract"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "trouble\n");
  EXPECT_EQ(read_file(at("op/v001/bench.json")), "{}\ncubin");
  EXPECT_EQ(read_file(at("op/v001/samples.json")), "samples\n");
}

TEST_F(BundleTest, AResultWritesNothingButFilesBesideTheOutput) {
  const Bundle bundle = load_bundle(make());
  const auto complaint = [&](const Json& result) {
    const JsonDocument document = parse_json(to_text(result), "result.json");
    return error_of([&] { collect_result(bundle, document, line()); });
  };
  Json result = {{"bundle", bundle.address}, {"exit_code", 0}, {"files", {{"../x", "y"}}}};
  EXPECT_THAT(complaint(result), HasSubstr("'../x' is no file that the step may write"));
  result["files"] = Json::array();
  EXPECT_THAT(complaint(result), HasSubstr("is not the result of the bundle"));
  result["files"] = Json::object();
  result["bundle"] = "of another";
  EXPECT_THAT(complaint(result), HasSubstr("is not the result of the bundle"));
  EXPECT_FALSE(fs::exists(at("op/x")));
}

TEST_F(BundleTest, WhatMustBeConfinedHereMustBeWhereverItRuns) {
  write_file_atomic(at("program"), "#!/bin/sh\necho sandbox: $KERNELLOOP_SANDBOX\n");
  fs::permissions(at("program"), fs::perms::owner_all);
  const auto ran = [&] {
    const fs::path folder = make();
    ::setenv("KERNELLOOP_SANDBOX", "off", 1);  // the host's own
    const std::string output =
        run_bundle(load_bundle(folder), at("program"), at("cache")).at("output");
    ::unsetenv("KERNELLOOP_SANDBOX");
    return output;
  };
  EXPECT_EQ(ran(), "sandbox: off\n");
  ::setenv("KERNELLOOP_SANDBOX", "required", 1);
  EXPECT_EQ(ran(), "sandbox: required\n");
}

TEST_F(BundleTest, SaysWhatIsNoStep) {
  EXPECT_THAT(error_of([&] {
                words_of({"worker", {}});
              }),
              HasSubstr("'worker' is no step that a bundle can hold; those are baselines"));
  EXPECT_THAT(error_of([&] {
                words_of({"verify", {"--contract"}});
              }),
              HasSubstr("verify: --contract lacks its value"));
}

}  // namespace
}  // namespace kernelloop
