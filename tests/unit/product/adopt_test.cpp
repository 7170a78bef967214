#include "product/adopt.hpp"

#include "product/provenance.hpp"
#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"

#include "project_fixture.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class AdoptTest : public ProjectTest {
 protected:
  // What adopting throws, as text.
  std::string error(const AdoptRequest& request = {}) {
    try {
      adopt_now(request);
    } catch (const Error& thrown) {
      EXPECT_EQ(thrown.code(), ExitCode::check_failed);
      return thrown.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
};

TEST_F(AdoptTest, TheFirstIsTheFastest) {
  add_version(1, 50);
  add_version(2, 40);
  add_version(3, 45);
  const AdoptResult result = adopt_now();
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.line,
            "softmax: adopted v002: the first adopted version; 40.0 µs on NVIDIA H200");
  const Json entry = adopted().at("architectures").at("90a");
  EXPECT_EQ(entry.at("version"), "v002");
  EXPECT_EQ(entry.at("source_sha256"), sha256_of_file(source(2)));
  EXPECT_EQ(entry.at("evidence"), "reports/softmax/nvidia-h200.json");
  EXPECT_EQ(entry.at("evidence_sha256"),
            sha256_of_file(root() / "reports/softmax/nvidia-h200.json"));
  EXPECT_EQ(entry.at("time_us"), 40);
  EXPECT_EQ(entry.at("device").at("kind"), "cuda");
  EXPECT_THAT(rematches_, IsEmpty());
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
}

TEST_F(AdoptTest, OnlyVerifiedAndMeasuredVersionsCount) {
  add_version(1, 50);
  add_version(2, 40);
  change(2, "verify", "/status", "failed");
  add_version(3, 30);
  change(3, "bench", "/status", "failed");
  add_version(4, 20);
  change(4, "compile", "/status", "failed");
  add_version(5, 10);
  write(source(5), "// edited\n");
  add_version(6, 5);
  change(6, "verify", "/rules", k_verification_rules + 1);
  adopt_now();
  EXPECT_EQ(adopted_version(), "v001");
}

TEST_F(AdoptTest, AVersionWhoseTimeIsNoneIsNotTimed) {
  for (const Json& time : {Json(nullptr), Json("fast"), Json(0), Json(-1)}) {
    add_version(1, 50);
    change(1, "bench", "/summary/time_us", time);
    EXPECT_THAT(error(), HasSubstr("v001 is not timed: its bench.json names no time")) << time;
  }
}

TEST_F(AdoptTest, NothingToAdoptSaysWhyForEachVersion) {
  EXPECT_THAT(error(), HasSubstr("run optimize_softmax first"));
  add_version(1, 50);
  change(1, "verify", "/status", "failed");
  change(1, "verify", "/summary", "smoke: wrong");
  add_version(2, 40);
  write(source(2), "// edited\n");
  const std::string text = error();
  EXPECT_THAT(text, HasSubstr("v001 is not verified (failed: smoke: wrong)"));
  EXPECT_THAT(text, HasSubstr("run bench_softmax first"));
  EXPECT_THAT(text, HasSubstr("v002 was edited after it was verified"));
  EXPECT_FALSE(std::filesystem::exists(adopted_file()));
}

TEST_F(AdoptTest, AFasterVersionReplacesTheIncumbentAfterARematch) {
  add_version(1, 50);
  adopt_now();
  add_version(2, 40);
  const AdoptResult result = adopt_now();
  const std::pair<std::string, std::string> both("v001", "v002");
  EXPECT_THAT(rematches_, ElementsAre(both, both));
  EXPECT_TRUE(result.changed);
  EXPECT_THAT(result.line, HasSubstr("adopted v002: faster than v001 (FASTER: 0.900 of its time"));
  EXPECT_EQ(adopted_version(), "v002");
  const Json evidence = read_json(root() / "reports/softmax/nvidia-h200.json").value;
  EXPECT_EQ(evidence.at("first_comparison").at("ratio"), 0.9);
  EXPECT_EQ(evidence.at("comparison").at("incumbent"), "v001");
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
}

TEST_F(AdoptTest, FasterOnlyOnceIsNotFaster) {
  add_version(1, 50);
  adopt_now();
  add_version(2, 49.5);
  second_verdict_ = "UNCLEAR";
  const AdoptResult result = adopt_now();
  EXPECT_FALSE(result.changed);
  EXPECT_EQ(rematches_.size(), 2u);
  EXPECT_THAT(
      result.line,
      HasSubstr("kept v001: v002 was faster once, but not when it was timed again (UNCLEAR"));
}

TEST_F(AdoptTest, WithinTheNoiseTheIncumbentStays) {
  add_version(1, 50);
  adopt_now();
  const std::string before = read_file(adopted_file());
  add_version(2, 49.9);
  for (const char* verdict : {"SAME", "UNCLEAR", "SLOWER"}) {
    verdict_ = second_verdict_ = verdict;
    const AdoptResult result = adopt_now();
    EXPECT_FALSE(result.changed);
    EXPECT_THAT(result.line, HasSubstr("kept v001: v002 is not faster by more than the noise"));
    EXPECT_EQ(read_file(adopted_file()), before);
  }
}

TEST_F(AdoptTest, TheIncumbentThatWinsAgainIsKept) {
  add_version(1, 50);
  adopt_now();
  const AdoptResult result = adopt_now();
  EXPECT_FALSE(result.changed);
  EXPECT_EQ(result.line, "softmax: kept v001: it is still the fastest verified version");
}

TEST_F(AdoptTest, LostEvidenceIsRenewed) {
  add_version(1, 50);
  adopt_now();
  std::filesystem::remove_all(root() / "reports");
  EXPECT_THAT(provenance_problems(config_), Not(IsEmpty()));
  EXPECT_THAT(adopt_now().line, HasSubstr("its evidence was renewed"));
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
}

TEST_F(AdoptTest, AChangedSpecAsksForNewEvidence) {
  const auto judge_by = [&](const std::string& ladder) {
    write(config_.spec, R"({"name": "softmax", "axes": {"n": {"type": "var"}},
        "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
        "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
        "workloads": [{"name": "w", "axes": {"n": 4}}], "ladder": )" +
                            ladder + "}");
  };
  const auto verify = [&] {
    const SpecParts parts = split_spec(read_json(config_.spec));
    Json verdict = read_json(config_.step_dir(1) / "verify.json").value;
    verdict["contract_sha256"] = sha256(to_text(parts.contract));
    verdict["checks_sha256"] = sha256(to_text(parts.checks));
    write(config_.step_dir(1) / "verify.json", to_text(verdict));
  };
  add_version(1, 50);
  judge_by(R"({"smoke": [{"n": 5}]})");
  verify();
  adopt_now();
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
  judge_by(R"({"smoke": [{"n": 1}]})");
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre("softmax: the checks of op.json changed after v001 was verified; run "
                          "verify_softmax, then adopt_softmax"));
  verify();
  EXPECT_THAT(adopt_now().line, HasSubstr("its evidence was renewed"));
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
}

TEST_F(AdoptTest, RenewedEvidenceKeepsTheComparisonsThatWereWon) {
  add_version(1, 50);
  adopt_now();
  add_version(2, 40);
  adopt_now();
  Json adopted = read_json(adopted_file()).value;
  for (auto& [name, entry] : adopted.at("architectures").items()) entry["rules"] = 1;
  write(adopted_file(), adopted.dump());
  EXPECT_THAT(adopt_now().line, HasSubstr("its evidence was renewed"));
  const Json evidence = read_json(root() / "reports/softmax/nvidia-h200.json").value;
  EXPECT_EQ(evidence.at("comparison").at("incumbent"), "v001");
  EXPECT_EQ(evidence.at("first_comparison").at("ratio"), 0.9);
}

TEST_F(AdoptTest, AnEditedIncumbentGivesWayWithoutARematch) {
  add_version(1, 50);
  adopt_now();
  write(source(1), "// edited\n");
  add_version(2, 60);
  EXPECT_THAT(adopt_now().line, HasSubstr("v001 was edited or removed since it was adopted"));
  EXPECT_THAT(rematches_, IsEmpty());
  EXPECT_EQ(adopted_version(), "v002");
}

TEST_F(AdoptTest, AnIncumbentThatNoLongerVerifiesGivesWay) {
  add_version(1, 50);
  adopt_now();
  change(1, "verify", "/status", "failed");
  add_version(2, 60);
  EXPECT_THAT(adopt_now().line, HasSubstr("v001 is not verified (failed)"));
  EXPECT_EQ(adopted_version(), "v002");
}

TEST_F(AdoptTest, AnIncumbentThatWasNotBuiltHereCannotBeCompared) {
  add_version(1, 50);
  adopt_now();
  std::filesystem::remove_all(config_.step_dir(1));
  add_version(2, 40);
  EXPECT_THAT(error(), HasSubstr("run verify_softmax first, or adopt with --force"));
  EXPECT_EQ(adopted_version(), "v001");
  adopt_now({"", true});
  EXPECT_EQ(adopted_version(), "v002");
}

TEST_F(AdoptTest, AnotherDeviceModelNeedsForce) {
  add_version(1, 50, "NVIDIA H100");
  adopt_now();
  std::filesystem::remove_all(config_.step_dir(1));
  add_version(2, 40);
  const AdoptResult result = adopt_now();
  EXPECT_FALSE(result.changed);
  EXPECT_THAT(result.line, HasSubstr("kept v001: it was adopted on NVIDIA H100"));
  EXPECT_THAT(result.line, HasSubstr("pass --force"));
  EXPECT_TRUE(adopt_now({"", true}).changed);
  EXPECT_EQ(adopted_version(), "v002");
}

TEST_F(AdoptTest, TimesOfDifferentDevicesAreNotCompared) {
  add_version(1, 50, "NVIDIA H100");
  add_version(2, 40);
  EXPECT_THAT(error(), HasSubstr("run bench_softmax on one device"));
}

TEST_F(AdoptTest, TheCpuDeviceAdoptsOnlyWhereNoGpuDid) {
  config_.device = "cpu";
  config_.architectures = {"80", "90a"};
  add_version(1, 3000, "Some Processor");
  EXPECT_THAT(adopt_now().line, HasSubstr("3.00 ms wall on the CPU device (emulation)"));
  EXPECT_EQ(adopted().at("architectures").size(), 2u);
  EXPECT_EQ(adopted().at("architectures").at("80").at("evidence"), "reports/softmax/cpu.json");
  EXPECT_TRUE(adopted().at("architectures").at("80").at("sol").is_null());
}

TEST_F(AdoptTest, TheCpuDeviceNeverReplacesAGpu) {
  add_version(1, 50);
  adopt_now();
  const std::string before = read_file(adopted_file());
  config_.device = "cpu";
  add_version(2, 1, "Some Processor");
  for (const bool force : {false, true}) {
    const AdoptResult result = adopt_now({"v002", force});
    EXPECT_FALSE(result.changed);
    EXPECT_THAT(result.line, HasSubstr("kept v001: it has evidence from NVIDIA H200"));
    EXPECT_EQ(read_file(adopted_file()), before);
  }
}

TEST_F(AdoptTest, AGpuReplacesTheCpuDeviceWhateverTheTimes) {
  config_.device = "cpu";
  add_version(1, 1, "Some Processor");
  adopt_now();
  config_.device = "cuda";
  add_version(2, 5000);
  std::filesystem::remove_all(config_.step_dir(1));
  EXPECT_THAT(adopt_now().line, HasSubstr("its evidence comes from a GPU"));
  EXPECT_THAT(rematches_, IsEmpty());
  EXPECT_EQ(adopted_version(), "v002");
}

TEST_F(AdoptTest, ARequestedVersionIsTaken) {
  add_version(1, 50);
  add_version(2, 40);
  adopt_now({"v001", false});
  EXPECT_EQ(adopted_version(), "v001");
}

TEST_F(AdoptTest, ARequestedVersionMustBeThereAndVerified) {
  add_version(1, 50);
  EXPECT_THAT(error({"v007", false}), HasSubstr("there is no version v007"));
  change(1, "verify", "/status", "failed");
  EXPECT_THAT(error({"v001", true}),
              HasSubstr("v001 cannot be adopted: it is not verified (failed); run bench_softmax"));
}

TEST_F(AdoptTest, OtherArchitecturesStayAsTheyAre) {
  add_version(1, 50);
  adopt_now();
  add_version(2, 40, "NVIDIA A100");
  change(2, "compile", "/artifacts/cuda/architecture", "80");
  std::filesystem::remove_all(config_.step_dir(1));
  adopt_now();
  EXPECT_EQ(adopted_version(), "v001");
  EXPECT_EQ(adopted().at("architectures").at("80").at("version"), "v002");
}

TEST_F(AdoptTest, EvidenceNamesNoPathAndNoSerialNumber) {
  add_version(1, 50);
  adopt_now();
  const std::string text = read_file(root() / "reports/softmax/nvidia-h200.json");
  EXPECT_THAT(text, Not(HasSubstr(root().string())));
  EXPECT_THAT(text, Not(HasSubstr("/opt/")));
  EXPECT_THAT(text, Not(HasSubstr("GPU-secret")));
  EXPECT_THAT(text, HasSubstr("\"nvcc\": \"nvcc\""));
}

TEST_F(AdoptTest, EvidenceHasTheBaselinesOfThisDeviceAndTheseRules) {
  const auto evidence = [&] {
    AdoptRequest again;
    again.version = "v001";
    std::filesystem::remove(adopted_file());
    adopt_now(again);
    return read_json(root() / "reports/softmax/nvidia-h200.json").value.at("baselines");
  };
  const Json measured = {{"name", "cub"},
                         {"status", "measured"},
                         {"reason", ""},
                         {"workloads", {{{"name", "w"}, {"interval_us", {59, 61}}}}},
                         {"summary", {{"time_us", 60}}}};
  const Json wrong = {{"name", "old"}, {"status", "failed"}, {"reason", "workload 'w': wrong"}};
  Json timed = {{"rules", 1},
                {"device", {{"kind", "cuda"}, {"name", "NVIDIA H200"}, {"uuid", "GPU-secret"}}},
                {"baselines", {measured, wrong}}};
  add_version(1, 40);
  EXPECT_TRUE(evidence().is_null()) << "none is registered";
  config_.baselines = {"cub.cu", "old.cu"};
  EXPECT_TRUE(evidence().is_null()) << "none was timed";
  write(config_.build_dir / "baselines.json", to_text(timed));
  Json expected = timed.at("baselines");
  expected[0]["ratio"] = 1.5;
  expected[1]["ratio"] = nullptr;
  EXPECT_EQ(evidence(), expected);
  for (const char* other : {"/rules", "/device/name"}) {
    Json elsewhere = timed;
    elsewhere[Json::json_pointer(other)] = other;
    write(config_.build_dir / "baselines.json", to_text(elsewhere));
    EXPECT_TRUE(evidence().is_null()) << other;
  }
}

TEST_F(AdoptTest, AFailedRematchKeepsTheIncumbent) {
  add_version(1, 50);
  adopt_now();
  add_version(2, 40);
  const AdoptResult result = adopt(config_, {}, [](const std::string&, const std::string&) {
    return Json{{"status", "failed"}, {"reason", "workload 'w': timeout in v002"}};
  });
  EXPECT_FALSE(result.changed);
  EXPECT_THAT(result.line, HasSubstr("timeout in v002"));
}

TEST_F(AdoptTest, WhenEvidenceCannotBeWrittenNothingIsAdopted) {
  add_version(1, 50);
  write(root() / "reports", "a file where the directory should be");
  EXPECT_ANY_THROW(adopt_now());
  EXPECT_FALSE(std::filesystem::exists(adopted_file()));
}

TEST_F(AdoptTest, ARematchThatCannotStartIsAnErrorOfTheEnvironment) {
  config_.device_tool = root() / "no-such-program";
  add_version(1, 50);
  add_version(2, 40);
  try {
    device_rematch(config_)("v001", "v002");
    FAIL() << "no error";
  } catch (const Error& thrown) {
    EXPECT_EQ(thrown.code(), ExitCode::environment);
  }
}

TEST_F(AdoptTest, ARematchGoesThroughTheDeviceLauncher) {
  add_version(1, 50);
  add_version(2, 40);
  write(root() / "launcher.sh",
        "#!/bin/sh\nfor last; do :; done\necho \"{\\\"status\\\": \\\"$2\\\"}\" > \"$last\"\n");
  std::filesystem::permissions(root() / "launcher.sh", std::filesystem::perms::owner_all);
  config_.device_launcher = {(root() / "launcher.sh").string()};
  config_.device_tool = "kernelloop-device";
  EXPECT_EQ(device_rematch(config_)("v001", "v002").at("status"), "compare");
}

}  // namespace
}  // namespace kernelloop
