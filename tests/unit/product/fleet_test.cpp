#include "product/fleet.hpp"

#include "bench/rules.hpp"
#include "product/adopted.hpp"
#include "support/error.hpp"

#include "project_fixture.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// The loop runs on an H200; an A100 is to be had, whose steps are simulated.
class FleetTest : public ProjectTest {
 protected:
  FleetTest() {
    config_.architectures = {"80", "90a"};
    config_.fleet = {{"80", {"to-the-a100"}}};
  }

  // Each step writes what an A100 would say of the version.
  std::vector<std::string> judge() {
    return judge_on_class(
        config_, "80", [this](const OpConfig& seen, const std::string& step, int version) {
          ran_.emplace_back(step, version);
          EXPECT_EQ(seen.device_launcher, config_.fleet.at("80"));
          write(seen.results_dir(version) / (step + ".json"), to_text(said(step, version)));
        });
  }

  Json said(const std::string& step, int version) {
    Json json = read_json(config_.step_dir(version) / (step + ".json")).value;
    json["device"]["name"] = name_;
    json["device"]["architecture"] = architecture_;
    if (step == "bench") {
      json["rules"] = k_measurement_rules;
      json["summary"]["time_us"] = times_.at(version);
    }
    return json;
  }

  // As the compile step leaves it for two architectures.
  void add_for_both(int number, double time_us) {
    add_version(number, time_us);
    change(number, "compile", "/artifacts/cuda/cubins",
           {{"80", "sm_80/kernel.cubin"}, {"90a", "kernel.cubin"}});
    change(number, "verify", "/device/architecture", "sm_90");
    change(number, "bench", "/device/architecture", "sm_90");
  }

  AdoptResult adopt_on_class() {
    return adopt(for_class(config_, "80"), {},
                 [this](const std::string& incumbent, const std::string& challenger) {
                   rematches_.emplace_back(incumbent, challenger);
                   return Json{
                       {"status", "compared"},   {"verdict", verdict_},      {"ratio", 0.9},
                       {"op", "softmax"},        {"interval", {0.89, 0.91}}, {"noise_floor", 0.005},
                       {"incumbent", incumbent}, {"challenger", challenger}};
                 });
  }

  std::string version_for(const std::string& architecture) const {
    return adopted().at("architectures").at(architecture).at("version");
  }

  std::string name_ = "NVIDIA A100";
  std::string architecture_ = "sm_80";
  std::map<int, double> times_{{1, 70}, {2, 90}};
  std::vector<std::pair<std::string, int>> ran_;
};

TEST_F(FleetTest, EachClassShipsWhatIsFastestOnItsOwnDevices) {
  add_for_both(1, 50);
  add_for_both(2, 40);
  EXPECT_THAT(judge(), ElementsAre("softmax on 80: v001 70.0 µs on NVIDIA A100",
                                   "softmax on 80: v002 90.0 µs on NVIDIA A100"));
  EXPECT_THAT(
      ran_, ElementsAre(Pair("verify", 1), Pair("bench", 1), Pair("verify", 2), Pair("bench", 2)));
  EXPECT_TRUE(adopt_now().changed);
  EXPECT_EQ(adopt_on_class().line,
            "softmax: adopted v001: the first adopted version for its architecture; 70.0 µs on "
            "NVIDIA A100");
  EXPECT_EQ(version_for("90a"), "v002");
  EXPECT_EQ(version_for("80"), "v001");
  // Evidence of each device, in a file of its own.
  EXPECT_EQ(adopted().at("architectures").at("80").at("evidence"),
            "reports/softmax/nvidia-a100.json");
  EXPECT_EQ(adopted().at("architectures").at("90a").at("evidence"),
            "reports/softmax/nvidia-h200.json");
  const Json evidence = read_json(root() / "reports/softmax/nvidia-a100.json").value;
  EXPECT_EQ(evidence.at("version"), "v001");
}

TEST_F(FleetTest, WhatIsJudgedIsNotJudgedAgainUntilItsSourceChanges) {
  add_for_both(1, 50);
  judge();
  ran_.clear();
  judge();
  EXPECT_THAT(ran_, IsEmpty());
  write(source(1), "// another\n");
  for (const char* step : {"compile", "verify"}) {
    change(1, step, "/source_sha256", sha256("// another\n"));
  }
  judge();
  EXPECT_THAT(ran_, ElementsAre(Pair("verify", 1), Pair("bench", 1)));
}

TEST_F(FleetTest, OnlyVersionsThatTheLoopsDeviceVerifiedAreSent) {
  add_for_both(1, 50);
  add_for_both(2, 40);
  change(1, "verify", "/status", "failed");
  judge();
  EXPECT_THAT(ran_, ElementsAre(Pair("verify", 2), Pair("bench", 2)));
}

TEST_F(FleetTest, AVersionThatFailsThereIsNotAdoptedThere) {
  add_for_both(1, 50);
  judge();
  const auto file = for_class(config_, "80").results_dir(1) / "verify.json";
  Json verdict = read_json(file).value;
  verdict["status"] = "failed";
  write(file, to_text(verdict));
  EXPECT_THAT(judge(), ElementsAre(HasSubstr("softmax on 80: v001 is not verified (failed)")));
  EXPECT_TRUE(adopt_now().changed);
  EXPECT_THROW(adopt_on_class(), Error);
  EXPECT_FALSE(adopted().at("architectures").contains("80"));
}

TEST_F(FleetTest, ALauncherThatLeadsElsewhereIsAnError) {
  add_for_both(1, 50);
  name_ = "NVIDIA H100";
  architecture_ = "sm_90";
  try {
    judge();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_STREQ(error.what(),
                 "softmax: the launcher for 80 led to NVIDIA H100, which runs what is compiled for "
                 "90a; correct KERNELLOOP_DEVICE_LAUNCHER_80");
  }
}

TEST_F(FleetTest, AClassWithoutALauncherIsAnError) {
  try {
    for_class(config_, "75");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(),
                 "softmax: no launcher is set for devices of class 75; set "
                 "KERNELLOOP_DEVICE_LAUNCHER_75");
  }
}

// The real command line, to a launcher that says what it was given and fails.
TEST_F(FleetTest, AStepThatWasNotRunIsNoVerdict) {
  add_for_both(1, 50);
  write(root() / "launcher.sh", "#!/bin/sh\necho \"$@\" >&2\nexit 8\n");
  std::filesystem::permissions(root() / "launcher.sh", std::filesystem::perms::owner_all);
  config_.fleet = {{"80", {(root() / "launcher.sh").string(), "host"}}};
  config_.device_tool = "kernelloop-device";
  try {
    judge_on_class(config_, "80", device_fleet_step());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("softmax v001: verify on a device of class 80 was not run "
                                        "(exit code 8): host kernelloop-device verify --contract"));
  }
  EXPECT_FALSE(std::filesystem::exists(for_class(config_, "80").results_dir(1) / "verify.json"));
}

}  // namespace
}  // namespace kernelloop
