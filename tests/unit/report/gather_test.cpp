#include "report/gather.hpp"

#include "report/document_tables.hpp"
#include "report/report_json.hpp"
#include "support/error.hpp"

#include "cost/ledger.hpp"
#include "report_fixture.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ReportTest, NothingMeasuredIsNoReport) {
  EXPECT_THAT(gather_reports(config_).by_device, IsEmpty());
  write(source(1), "// a version that nobody compiled\n");
  EXPECT_THAT(gather_reports(config_).by_device, IsEmpty());
}

TEST_F(ReportTest, ShowsEveryVersionOfTheBuild) {
  add_three_versions();
  const Report report = only_report();
  EXPECT_TRUE(report.from_build());
  EXPECT_EQ(report.device_name, "NVIDIA H200");
  EXPECT_EQ(report.description, "Rows that sum to 1");
  ASSERT_EQ(report.versions.size(), 3u);
  EXPECT_EQ(report.versions[0].outcome, "wrong");
  EXPECT_EQ(report.versions[0].failure, "rung smoke: wrong");
  EXPECT_FALSE(report.versions[0].time_us);
  EXPECT_THAT(report.versions[0].workloads, IsEmpty());
  EXPECT_EQ(report.versions[1].speed_up, 1.0);
  EXPECT_EQ(report.versions[2].speed_up, 2.0);
  EXPECT_EQ(report.versions[2].bound, "memory");
  EXPECT_EQ(report.versions[2].workloads.at(0).all_flops(), 1.2e8);
  EXPECT_THAT(report.versions[2].diff, HasSubstr("-// kernel 2\n+// kernel 3\n"));
  EXPECT_EQ(report.versions[0].diff, "");
  EXPECT_EQ(report.roofs.at("copy"), 4e12);
  ASSERT_NE(report.shown(), nullptr);
  EXPECT_EQ(report.shown()->version, "v003");
  EXPECT_EQ(report.adopted, "");
}

TEST_F(ReportTest, NamesLanguagesWhereThereAreSeveral) {
  add_three_versions();
  const std::filesystem::path dir = source(2).parent_path();
  std::filesystem::rename(source(2), dir / "kernel.triton.py");
  EXPECT_EQ(only_report().versions[1].language, "");
  config_.languages = {"CUDA", "TRITON"};
  const Report report = only_report();
  EXPECT_EQ(report.versions[1].language, "Triton");
  EXPECT_EQ(versions_table(report).rows[1][1].text, "optimise of v001 in Triton");
}

TEST_F(ReportTest, WhatIsNotKnownIsNeverZero) {
  add_three_versions();
  const Json json = to_json(only_report());
  const Json& shown = json.at("versions").at(2);
  for (const char* member : {"interval_us", "clock_mhz", "power_watts", "hot_us", "rotating_us"}) {
    EXPECT_TRUE(shown.at("workloads").at(0).at(member).is_null()) << member;
  }
  EXPECT_TRUE(shown.at("kernels").at(0).at("stack_bytes").is_null());
  EXPECT_TRUE(shown.at("against_baseline").is_null());
  EXPECT_THAT(shown.at("counters").at("digest"), IsEmpty());
  EXPECT_EQ(shown.at("counters").at("missing"), "no counts of this device are in this build");
  EXPECT_EQ(shown.at("trace").at("missing"), "none was taken; build trace_softmax on the GPU");
  EXPECT_EQ(json.at("no_baselines"), "none is registered (BASELINES)");
  EXPECT_TRUE(json.at("comparison").is_null());
}

TEST_F(ReportTest, ShowsCountersTracesAndBaselinesOfTheBuild) {
  add_three_versions();
  put(3, "profile",
      {{"status", "profiled"}, {"digest", {"Memory bounds it.", "97 % of the bytes."}}});
  put(2, "profile",
      {{"status", "unavailable"}, {"reason", "no permission"}, {"digest", Json::array()}});
  put(3, "trace",
      {{"status", "traced"},
       {"digest", "A block lives 3 µs.\nload: 60 %\n"},
       {"overhead", {{"plain_us", 40.0}, {"traced_us", 41.0}}}});
  config_.baselines = {"cub.cu"};
  write(config_.build_dir / "baselines.json",
        to_text({{"baselines",
                  {{{"name", "cub"}, {"status", "measured"}, {"summary", {{"time_us", 60}}}},
                   {{"name", "old"}, {"status", "failed"}, {"reason", "wrong on w"}}}}}));
  const Report report = only_report();
  EXPECT_THAT(report.versions[2].counters.lines,
              ElementsAre("Memory bounds it.", "97 % of the bytes."));
  EXPECT_EQ(report.versions[1].counters.missing, "unavailable: no permission");
  EXPECT_THAT(report.versions[2].trace.lines,
              ElementsAre("A block lives 3 µs.", "load: 60 %",
                          "The traced build takes 41.0 µs, the plain one 40.0 µs."));
  ASSERT_NE(report.best_baseline(), nullptr);
  EXPECT_EQ(report.best_baseline()->name, "cub");
  EXPECT_EQ(report.versions[2].against_baseline, 1.5);
  EXPECT_EQ(report.baselines.at(1).failure, "wrong on w");
}

TEST_F(ReportTest, BaselinesComeFromTheEvidenceWhereNothingWasTimed) {
  add_three_versions();
  config_.baselines = {"cub.cu"};
  const Json device = {{"kind", "cuda"}, {"name", "NVIDIA H200"}};
  write(config_.build_dir / "baselines.json",
        to_text({{"device", device},
                 {"rules", 1},
                 {"baselines",
                  {{{"name", "cub"},
                    {"status", "measured"},
                    {"workloads", {{{"name", "w"}, {"median_us", 60}, {"interval_us", {59, 61}}}}},
                    {"summary", {{"time_us", 60}}}}}}}));
  adopt_now();
  const Json built = to_json(only_report());
  std::filesystem::remove_all(config_.build_dir);
  const Report report = only_report();
  EXPECT_FALSE(report.from_build());
  EXPECT_EQ(to_json(report).at("baselines"), built.at("baselines"));
  EXPECT_EQ(report.baselines.at(0).ratio, 1.5);
  EXPECT_EQ(report.versions[2].against_baseline, 1.5);
  const std::vector<Cell> row = baseline_workloads_table(report).rows.at(0);
  EXPECT_EQ(row.at(2).text, "60.0 µs");
  EXPECT_EQ(row.at(3).text, "59.0 µs to 61.0 µs");
  EXPECT_EQ(baselines_table(report).columns.at(2), "over the time of v003");

  // Of a file that was written before evidence had them.
  const auto file = root() / "reports/softmax/nvidia-h200.json";
  Json old = read_json(file).value;
  old.erase("baselines");
  write(file, to_text(old));
  const Report before = only_report();
  EXPECT_THAT(before.baselines, IsEmpty());
  EXPECT_EQ(before.no_baselines, "their times on this device are not here");
  EXPECT_EQ(before.versions[2].time_us, report.versions[2].time_us);
}

TEST_F(ReportTest, CommittedEvidenceIsEnough) {
  add_three_versions();
  adopt_now();
  const Report built = only_report();
  std::filesystem::remove_all(config_.build_dir);
  config_.device = "cpu";
  const Report report = only_report();
  EXPECT_FALSE(report.from_build());
  EXPECT_EQ(report.adopted, "v003");
  EXPECT_EQ(report.device_kind, "cuda");
  EXPECT_EQ(report.versions[1].outcome, "not_measured");
  EXPECT_FALSE(report.versions[2].speed_up);  // there is nothing to compare with
  EXPECT_EQ(report.versions[2].measured_by, "evidence");
  EXPECT_EQ(report.versions[2].time_us, built.versions[2].time_us);
  EXPECT_EQ(to_json(report).at("versions").at(2).at("workloads"),
            to_json(built).at("versions").at(2).at("workloads"));
  EXPECT_EQ(report.measurement_rules, 1);
  EXPECT_EQ(report.verification_rules, k_verification_rules);
  EXPECT_EQ(report.versions[2].source_sha256, sha256_of_file(source(3)));
  EXPECT_EQ(report.evidence_sha256, adopted().at("architectures").at("90a").at("evidence_sha256"));
}

TEST_F(ReportTest, TimesOfAnotherDeviceAreNotMixed) {
  add_three_versions();
  adopt_now();
  config_.device = "cpu";
  for (int v = 1; v <= 3; ++v) std::filesystem::remove_all(config_.step_dir(v));
  add_version(2, 5e4, "A processor");
  put(2, "proposed", {{"status", "ready"}});
  const GatheredReports gathered = gather_reports(config_);
  ASSERT_EQ(gathered.by_device.size(), 2u);
  const Report& cpu = gathered.by_device.at("cpu");
  EXPECT_EQ(cpu.versions[1].time_us, 5e4);
  EXPECT_EQ(cpu.versions[2].outcome, "not_measured");
  EXPECT_EQ(cpu.adopted, "");
  EXPECT_EQ(gathered.by_device.at("nvidia-h200").versions[1].outcome, "not_measured");
}

TEST_F(ReportTest, SaysThatASourceWasEditedOrAVersionRejected) {
  add_three_versions();
  write(source(3), "// edited\n");
  write(root() / "generated/softmax/steering.json", R"({"rejected": {"v002": "reads twice"}})");
  const Report report = only_report();
  EXPECT_TRUE(report.versions[2].edited);
  EXPECT_FALSE(report.versions[1].edited);
  EXPECT_EQ(report.versions[1].outcome, "rejected");
  EXPECT_EQ(report.versions[1].failure, "reads twice");
}

TEST_F(ReportTest, CostComesFromTheLedgerElseFromTheOrigins) {
  add_three_versions();
  const ReportCost origins = only_report().cost;
  EXPECT_EQ(origins.source, "origins");
  EXPECT_EQ(origins.usd, 0.75);
  EXPECT_EQ(origins.input_tokens, 6000);
  std::filesystem::remove(config_.version_dir(2) / "origin.json");
  EXPECT_EQ(only_report().cost.unknown_cost, 1);

  Ledger ledger(config_.generated_dir);
  LedgerEntry entry;
  entry.id = "a";
  entry.op = "softmax";
  entry.provider = "anthropic";
  ledger.open(entry, [](const auto&) { return std::string(); });
  LedgerOutcome outcome;
  outcome.outcome = "answered";
  outcome.usage.input = 5;
  outcome.nano_usd = 900'000'000;
  ledger.close("a", outcome);
  const ReportCost cost = only_report().cost;
  EXPECT_EQ(cost.source, "ledger");
  EXPECT_EQ(cost.usd, 0.9);
  EXPECT_EQ(cost.requests, 1);
  EXPECT_EQ(cost.unknown_cost, 0);
}

TEST_F(ReportTest, NobodyCountsWhatWasWrittenByHand) {
  add_three_versions();
  for (int v = 1; v <= 3; ++v) {
    write(config_.version_dir(v) / "origin.json",
          to_text({{"provider", "manual"},
                   {"tokens", {{"input", 0}, {"output", 0}}},
                   {"cost_usd", 0.0}}));
  }
  const Report report = only_report();
  EXPECT_FALSE(report.versions[0].cost_usd);
  EXPECT_EQ(report.cost.source, "unknown");
  EXPECT_FALSE(report.cost.usd);
}

TEST_F(ReportTest, WithoutOriginOrLedgerTheCostIsUnknown) {
  add_version(1, 50);
  put(1, "proposed", {{"status", "ready"}});
  const Report report = only_report();
  EXPECT_EQ(report.cost.source, "unknown");
  EXPECT_FALSE(report.cost.usd);
  EXPECT_FALSE(report.versions[0].input_tokens);
  EXPECT_EQ(report.versions[0].provider, "by hand");
}

TEST_F(ReportTest, NamesNoOutputOfAStepAsItsInput) {
  add_three_versions();
  for (const auto& input : gather_reports(config_).inputs) {
    EXPECT_TRUE(std::filesystem::exists(input)) << input;
    if (input.string().starts_with(config_.build_dir.string())) {
      EXPECT_TRUE(std::filesystem::is_directory(input)) << input;
    }
  }
}

TEST_F(ReportTest, BrokenEvidenceIsNamed) {
  add_three_versions();
  write(config_.reports_dir / "softmax/nvidia-h200.json", "{ half");
  try {
    gather_reports(config_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("nvidia-h200.json:1:"));
  }
}

}  // namespace
}  // namespace kernelloop
