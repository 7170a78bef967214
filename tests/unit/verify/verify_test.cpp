// The whole ladder with functions in place of kernels.
#include "support/error.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "verify_fixture.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A right result by instructions that the op does not allow.
TEST_F(Verify, TheBuildRungJudgesTheInstructions) {
  options_.up_to_rung = "smoke";
  const auto finding = [](const char* kind, const char* opcode) {
    return Json{{"kind", kind}, {"opcode", opcode}, {"count", 1}, {"line", 9}, {"function", "k"}};
  };
  compiled_["instructions"]["90a"]["findings"] =
      Json::array({finding("cache_policy", "createpolicy.fractional.L2::evict_last.b64"),
                   finding("half_arithmetic", "add.bf16x2")});
  const VerifyResult failed = verify(softmax_kernel);
  EXPECT_EQ(failed.status, Verdict::failed);
  EXPECT_THAT(rung_names(failed), ElementsAre("build"));
  EXPECT_THAT(failed.summary, StartsWith("softmax v003: failed in rung build on a fake device: "
                                         "half_arithmetic: line 9: add.bf16x2 rounds"));
  EXPECT_EQ(failed.json.at("rungs").at(0).at("notes").size(), 1u);

  compiled_["instructions"]["90a"]["findings"].erase(1);
  const VerifyResult passed = verify(softmax_kernel);
  EXPECT_EQ(passed.status, Verdict::passed) << passed.details;
  EXPECT_THAT(passed.json.at("rungs").at(0).at("notes").at(0).get<std::string>(),
              HasSubstr("steers what L2 keeps"));

  compiled_["instructions"]["90a"] = Json::object();
  EXPECT_THROW(verify(softmax_kernel), Error);
}

TEST_F(Verify, ARightKernelPassesTheWholeLadder) {
  options_.device = "cpu";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
  EXPECT_THAT(rung_names(result), ElementsAre("build", "smoke", "shapes", "values", "exact",
                                              "memory", "determinism", "workload", "holdout"));
  EXPECT_THAT(result.summary, StartsWith("softmax v003: passed on a fake device ("));
  EXPECT_EQ(result.json.at("status"), "passed");
  EXPECT_EQ(result.json.at("source_sha256"), "abc");
  EXPECT_EQ(result.json.at("checks_sha256").get<std::string>().size(), 64U);
  const Json& output = result.json.at("rungs").at(1).at("cases").at(0).at("outputs").at(0);
  for (const char* metric :
       {"max_abs", "max_rel", "mae", "mse", "rmse", "psnr", "cosine", "normwise", "max_ulp"}) {
    EXPECT_TRUE(output.at("metrics").at(metric).is_number()) << metric;
  }
  EXPECT_GE(output.at("gates").size(), 5U);
  for (const Json& gate : output.at("gates")) {
    EXPECT_LE(gate.at("margin").get<double>(), 1.0) << gate.dump();
  }
  const Json& values = result.json.at("rungs").at(3);
  EXPECT_GE(values.at("cases").size(), 28U);
  EXPECT_EQ(values.at("cases").at(0).at("family"), "tiny");
  EXPECT_EQ(values.at("cases").at(0).at("name"), "tiny at rows=48, cols=48");
  EXPECT_EQ(result.json.at("rungs").at(4).at("status"), "skipped");
}

TEST_F(Verify, SaysWhereTheTimeWent) {
  options_.device = "cpu";
  const VerifyResult result = verify(softmax_kernel);
  const Json& whole = result.json.at("cost_s");
  double parts = 0.0;
  for (const char* part : {"draw", "reference", "candidate", "judge"}) {
    parts += whole.at(part).get<double>();
  }
  EXPECT_GT(parts, 0.0);
  EXPECT_GE(whole.at("total").get<double>() + 0.01, parts);
  EXPECT_GT(result.json.at("rungs").at(1).at("cost_s").at("reference").get<double>(), 0.0);
}

TEST_F(Verify, StopsAtTheFirstFailingRung) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.cols % 8 != 0) {
      for (std::int64_t row = 0; row < launch.rows; ++row) {
        launch.write("y", row * launch.cols + launch.cols - 1, 0.0);
      }
    }
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(rung_names(result), ElementsAre("build", "smoke", "shapes"));
  EXPECT_EQ(result.json.at("rungs").at(1).at("status"), "passed");
  EXPECT_THAT(result.json.at("reason").get<std::string>(), StartsWith("shapes: rows="));
  EXPECT_THAT(result.details, HasSubstr("worst element y["));
}

TEST_F(Verify, KeepGoingClimbsToTheTop) {
  options_.keep_going = true;
  options_.device = "cpu";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    for (std::int64_t i = 0; i < launch.rows * launch.cols; ++i) launch.write("y", i, 0.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_EQ(rung_names(result).size(), 9U);
}

TEST_F(Verify, OneRungOrUpToOne) {
  options_.only_rung = "workload";
  options_.device = "cpu";
  EXPECT_THAT(rung_names(verify(softmax_kernel)), ElementsAre("workload"));
  options_.only_rung.clear();
  options_.up_to_rung = "smoke";
  EXPECT_THAT(rung_names(verify(softmax_kernel)), ElementsAre("build", "smoke"));
}

TEST_F(Verify, RungsThatDoNotExistAreRefused) {
  const auto message = [&] {
    try {
      verify(softmax_kernel);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  options_.up_to_rung = "smokestack";
  EXPECT_EQ(message(),
            "there is no rung 'smokestack'; the ladder has: build, smoke, shapes, values, exact, "
            "memory, determinism, workload, holdout, huge, sanitizer");
  options_.up_to_rung = "smoke";
  options_.only_rung = "holdout";
  EXPECT_EQ(message(), "rung 'holdout' lies above 'smoke': nothing to climb");
}

TEST_F(Verify, OtherRulesAreRefused) {
  options_.rules = k_verification_rules + 1;
  try {
    verify(softmax_kernel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("run CMake again"));
  }
}

TEST_F(Verify, WhatDidNotCompileIsSkipped) {
  compiled_["status"] = "stopped";
  compiled_["reason"] = "v002 meets the target";
  VerifyResult result =
      verify([](const FakeLaunch&) -> RunResult { throw std::logic_error("ran"); });
  EXPECT_EQ(result.json.at("status"), "skipped");
  EXPECT_EQ(result.json.at("reason"), "stopped: v002 meets the target");
  EXPECT_FALSE(result.compiled);
  compiled_["status"] = "failed";
  compiled_["reason"] = "";
  compiled_["problems"] =
      Json::parse(R"([{"severity": "error", "message": "identifier x is undefined"}])");
  result = verify(softmax_kernel);
  EXPECT_EQ(result.json.at("reason"), "does not compile: identifier x is undefined");
}

TEST_F(Verify, WhatCannotRunHereIsNotPassed) {
  compiled_["artifacts"]["cuda"] = {{"status", "absent"}, {"reason", "no nvcc"}};
  const VerifyResult absent = verify(softmax_kernel);
  EXPECT_EQ(absent.status, Verdict::not_runnable);
  EXPECT_EQ(absent.json.at("reason"), "build: no nvcc");
  compiled_["artifacts"]["cuda"] = {{"status", "built"}, {"cubin", "/x"}};
  const VerifyResult construct = verify(
      [](const FakeLaunch&) { return fault(FaultKind::not_runnable, "inline PTX at k.cu:12"); });
  EXPECT_EQ(construct.status, Verdict::not_runnable);
  EXPECT_THAT(construct.summary, HasSubstr("inline PTX at k.cu:12"));
}

TEST_F(Verify, AnArtefactThatFailedToBuildFailsTheBuildRung) {
  compiled_["artifacts"]["cuda"] = {{"status", "failed"}, {"reason", "no kernel in the cubin"}};
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_EQ(result.json.at("reason"), "build: no kernel in the cubin");
}

TEST_F(Verify, FaultsAreTheCandidates) {
  for (const FaultKind kind : {FaultKind::timeout, FaultKind::illegal_access,
                               FaultKind::launch_refused, FaultKind::divergent_barrier}) {
    const VerifyResult result =
        verify([&](const FakeLaunch&) { return fault(kind, "what the device said"); });
    EXPECT_EQ(result.status, Verdict::failed);
    EXPECT_EQ(last_case(result).at("fault").at("kind"), name_of(kind));
    EXPECT_EQ(last_case(result).at("fault").at("message"), "what the device said");
  }
}

TEST_F(Verify, APlanThatDoesNotFitIsTheCandidatesFault) {
  compiled_["plan"]["launches"][0]["when"] = "cols > 1000000";
  const VerifyResult none = verify(softmax_kernel);
  EXPECT_EQ(none.status, Verdict::failed);
  EXPECT_EQ(last_case(none).at("fault").at("kind"), "plan");
  EXPECT_NE(last_case(none).at("fault").at("message"), "");
  compiled_["plan"]["launches"][0].erase("when");
  compiled_["plan"]["launches"][0]["block"] = {"cols * 64"};
  EXPECT_EQ(last_case(verify(softmax_kernel)).at("fault").at("kind"), "plan");
}

TEST_F(Verify, AChangedInputFails) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    return RunResult{{}, {"x"}};
  });
  EXPECT_EQ(last_case(result).at("fault").at("kind"), "changed_input");
}

TEST_F(Verify, WhatDependsOnThePoisonFails) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    // Within tolerance, so that only the second poison gives it away.
    if (launch.request.poison.is_noise()) {
      launch.write("y", 3, launch.read("y")[3] * (1.0 + 0x1p-7));
    }
    return RunResult{};
  });
  EXPECT_EQ(last_case(result).at("fault").at("kind"), "reads_uninitialised");
  EXPECT_THAT(last_case(result).at("fault").at("message").get<std::string>(),
              HasSubstr("first at y[0, 3]"));
}

TEST_F(Verify, WhatChangesFromRunToRunFails) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    launch.write("y", 3, launch.read("y")[3] * (1.0 + 0x1p-7 * launch.number));
    return RunResult{};
  });
  EXPECT_EQ(last_case(result).at("fault").at("kind"), "not_deterministic");
}

TEST_F(Verify, ARaceThatOnlyAnotherScheduleShowsFails) {
  options_.device = "cpu";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.request.schedule_seed != 0) launch.write("y", 0, 7.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(
      last_case(result).at("outputs").at(0).at("pattern").get<std::string>(),
      StartsWith("depends on the order of threads: right in order, wrong in another order"));
}

TEST_F(Verify, AnUnwrittenOutputIsNamed) {
  const VerifyResult result = verify([](const FakeLaunch&) { return RunResult{}; });
  EXPECT_EQ(last_case(result).at("outputs").at(0).at("pattern"), "not written at all");
  EXPECT_EQ(last_case(result).at("outputs").at(0).at("worst").at("got"), "nan");
}

TEST_F(Verify, HoldoutCasesTellNothingOfTheirShape) {
  options_.only_rung = "holdout";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    for (std::int64_t i = 0; i < launch.rows * launch.cols; ++i) launch.write("y", i, 0.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  const Json& verdict = last_case(result);
  EXPECT_EQ(verdict.at("name"), "holdout 1");
  EXPECT_FALSE(verdict.contains("axes"));
  EXPECT_FALSE(verdict.contains("seed"));
  for (const char* member : {"worst", "pattern", "metrics"}) {
    EXPECT_FALSE(verdict.at("outputs").at(0).contains(member)) << member;
  }
  for (const Json& gate : verdict.at("outputs").at(0).at("gates")) {
    EXPECT_FALSE(gate.contains("limit"));
    EXPECT_FALSE(gate.contains("value"));
  }
  EXPECT_EQ(result.json.at("reason"),
            "holdout: holdout 1: y: normwise, elementwise, psnr, cosine beyond the limit");
  EXPECT_THAT(result.details, testing::Not(HasSubstr("rows=")));
}

TEST_F(Verify, ANanThatIsLostFailsInTheValuesRung) {
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    const std::vector<double> y = launch.read("y");
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (std::isnan(y[i])) launch.write("y", static_cast<std::int64_t>(i), 0.0);
    }
    return RunResult{};
  });
  EXPECT_THAT(result.json.at("reason").get<std::string>(),
              StartsWith("values: infinite in x at rows="));
}

TEST_F(Verify, SmallIntegersMustComeOutBitForBit) {
  const auto checks = [&](const std::string& precision) {
    Json json = read_json(KERNELLOOP_TEST_OPS "/softmax/op.json").value;
    json["precision"] = Json::parse(precision);
    const SpecParts parts = split_spec(parse_json(json.dump(), "op.json"));
    write_file_atomic(options_.checks, to_text(parts.checks));
  };
  options_.only_rung = "exact";
  checks(R"({"exact": false})");
  EXPECT_EQ(verify(softmax_kernel).status, Verdict::skipped);
  checks(R"({"exact": true})");
  try {
    verify(softmax_kernel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("precision.exact is true, but the reference's results"));
  }
}

// Sixty numbers in the plan are more than a run tries.
TEST_F(Verify, SizesThatAreLeftOutAreNoted) {
  std::string argument = "cols";
  for (int number = 1; number <= 60; ++number) argument += fmt::format(" + 0 * {}", 71 * number);
  compiled_["plan"]["launches"][0]["args"] = {"x", "y", argument};
  options_.device = "cpu";
  options_.only_rung = "shapes";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::passed) << result.summary;
  const Json& notes = result.json.at("rungs").at(0).at("notes");
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(notes.at(0).get<std::string>(),
              testing::MatchesRegex("[0-9]+ sizes around numbers of the plan left out, as too many "
                                    "or too dear here: rows=.*; [0-9]+ more"));
}

TEST_F(Verify, ARungWithoutCasesIsSkipped) {
  Json checks = read_json(options_.checks).value;
  checks["ladder"].erase("holdout");
  write_file_atomic(options_.checks, to_text(checks));
  options_.only_rung = "holdout";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::skipped);
  EXPECT_THAT(result.summary, HasSubstr("names no hold-out shapes"));
  EXPECT_TRUE(result.compiled);
}

TEST_F(Verify, ASeedReproducesTheData) {
  options_.only_rung = "smoke";
  std::vector<std::vector<double>> seen;
  const auto record = [&](const FakeLaunch& launch) {
    if (launch.number == 0) seen.push_back(launch.read("x"));
    return softmax_kernel(launch);
  };
  const VerifyResult first = verify(record);
  options_.seed = first.json.at("rungs").at(0).at("cases").at(0).at("seed").get<std::uint64_t>();
  verify(record);
  options_.seed = std::nullopt;
  verify(record);
  EXPECT_EQ(seen.at(0), seen.at(1));
  EXPECT_NE(seen.at(0), seen.at(2));
}

TEST_F(Verify, ABrokenReferenceIsNotTheCandidatesFault) {
  options_.reference = KERNELLOOP_TEST_RMSNORM;
  EXPECT_THROW(
      {
        try {
          verify(softmax_kernel);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::bad_input);
          throw;
        }
      },
      Error);
}

TEST_F(Verify, ABrokenCompileJsonIsNamed) {
  compiled_.erase("kernels");
  try {
    verify(softmax_kernel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("compile.json: not a compile.json: "));
  }
}

}  // namespace
}  // namespace kernelloop
