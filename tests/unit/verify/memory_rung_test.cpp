// The rungs memory, determinism and sanitizer, with functions in place of kernels.
#include <gmock/gmock.h>

#include "verify_fixture.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class MemoryRungs : public Verify {
 protected:
  static std::string message(const VerifyResult& result) {
    return last_case(result).at("fault").at("message").get<std::string>();
  }
  static std::string kind(const VerifyResult& result) {
    return last_case(result).at("fault").at("kind").get<std::string>();
  }
  void declare_not_deterministic() {
    Json checks = read_json(options_.checks).value;
    checks["precision"]["deterministic"] = false;
    write_file_atomic(options_.checks, to_text(checks));
  }
  static ToolResult found(const std::string& text) {
    ToolResult result;
    result.outcome = ToolResult::Outcome::found;
    result.version = "2025.3";
    result.finding = {FaultKind::illegal_access, text};
    return result;
  }
  static ToolResult clean() {
    ToolResult result;
    result.outcome = ToolResult::Outcome::clean;
    result.version = "2025.3";
    result.run.placement = Placement::bare;
    return result;
  }
};

TEST_F(MemoryRungs, EveryPlacementIsTriedAndRecorded) {
  options_.only_rung = "memory";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    RunResult run;
    if (launch.request.placement == Placement::fence_end) run.input_protection = "read_only";
    return run;
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
  const Json& memory = last_case(result).at("memory");
  EXPECT_THAT(memory.at("placements"),
              ElementsAre("margins", "fence_end", "fence_begin", "least_alignment"));
  EXPECT_EQ(memory.at("inputs"), "read_only");
  EXPECT_FALSE(memory.contains("tool"));
}

TEST_F(MemoryRungs, TheSpecsShapesComeFirst) {
  Json checks = read_json(options_.checks).value;
  checks["ladder"]["memory"] = Json::parse(R"([{"rows": 2, "cols": 5}])");
  write_file_atomic(options_.checks, to_text(checks));
  options_.only_rung = "memory";
  const VerifyResult result = verify(softmax_kernel);
  ASSERT_EQ(result.json.at("rungs").at(0).at("cases").size(), 1U);
  EXPECT_EQ(last_case(result).at("axes").at("cols"), 5);
}

// A launch for wide rows only, which none of the usual small shapes selects.
TEST_F(MemoryRungs, EveryLaunchOfThePlanIsReached) {
  Json wide = compiled_["plan"]["launches"][0];
  compiled_["plan"]["launches"][0]["when"] = "cols <= 4096 || cols % 64 != 0";
  wide["when"] = "cols > 4096 && cols % 64 == 0";
  compiled_["plan"]["launches"].push_back(wide);
  std::int64_t widest = 0;
  const auto kernel = [&](const FakeLaunch& launch) {
    widest = std::max(widest, launch.cols);
    return softmax_kernel(launch);
  };
  options_.only_rung = "memory";
  EXPECT_EQ(verify(kernel).status, Verdict::passed);
  EXPECT_GT(widest, 4096);
  options_.only_rung = "sanitizer";
  int watched = 0;
  tools_ = [&](SanitizerTool, const RunRequest&) {
    ++watched;
    return clean();
  };
  verify(kernel);
  EXPECT_EQ(watched, 8);
}

TEST_F(MemoryRungs, AFaultAtAFenceIsExplained) {
  options_.only_rung = "memory";
  tools_ = [](SanitizerTool tool, const RunRequest&) {
    EXPECT_EQ(tool, SanitizerTool::memcheck);
    return found("memcheck: Invalid __global__ read in kernel 'k' at kernel.cu:9");
  };
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    return launch.request.placement == Placement::fence_end
               ? fault(FaultKind::illegal_access, "700")
               : RunResult{};
  });
  EXPECT_EQ(kind(result), "illegal_access");
  EXPECT_EQ(message(result),
            "700; in this run nothing is mapped right behind the end of any tensor; memcheck: "
            "Invalid __global__ read in kernel 'k' at kernel.cu:9");
  EXPECT_EQ(last_case(result).at("memory").at("tool"), "compute-sanitizer 2025.3 memcheck");
}

TEST_F(MemoryRungs, WhatIsSeenInTheOpenTakesThePlaceOfABareCode) {
  options_.only_rung = "memory";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.request.placement == Placement::fence_begin) {
      return fault(FaultKind::illegal_access, "700");
    }
    return launch.number > 3 ? fault(FaultKind::illegal_access, "wrote 2 bytes before 'y'")
                             : RunResult{};
  });
  EXPECT_EQ(message(result),
            "wrote 2 bytes before 'y'; in this run nothing is mapped right before the start of any "
            "tensor");
}

TEST_F(MemoryRungs, AStoreToAReadOnlyInputIsAChangedInput) {
  options_.only_rung = "memory";
  int runs = 0;
  const VerifyResult result = verify([&](const FakeLaunch& launch) {
    softmax_kernel(launch);
    ++runs;
    if (launch.request.placement == Placement::fence_end) {
      return fault(FaultKind::illegal_access, "700");
    }
    // The two runs with margins before did not touch it.
    return runs > 3 ? RunResult{{}, {"x"}} : RunResult{};
  });
  EXPECT_EQ(kind(result), "changed_input");
}

TEST_F(MemoryRungs, ACrashAnywhereGetsTheToolsFirstFinding) {
  options_.only_rung = "smoke";
  tools_ = [](SanitizerTool, const RunRequest&) { return found("at kernel.cu:3"); };
  for (const FaultKind crash :
       {FaultKind::illegal_access, FaultKind::misaligned, FaultKind::trap}) {
    EXPECT_EQ(message(verify([&](const FakeLaunch&) { return fault(crash, "code"); })),
              "code; at kernel.cu:3");
  }
  tools_ = nullptr;
  EXPECT_EQ(message(verify([](const FakeLaunch&) { return fault(FaultKind::trap, "code"); })),
            "code");
}

TEST_F(MemoryRungs, AHiddenCrashIsNotExplained) {
  options_.only_rung = "holdout";
  tools_ = [](SanitizerTool, const RunRequest&) -> ToolResult { throw std::logic_error("asked"); };
  const VerifyResult result =
      verify([](const FakeLaunch&) { return fault(FaultKind::illegal_access, "700"); });
  EXPECT_EQ(message(result), "at a shape that is not shown");
}

TEST_F(MemoryRungs, AKernelThatTakesABetterAlignmentForGrantedIsTold) {
  options_.only_rung = "memory";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.request.placement == Placement::least_alignment) launch.write("y", 0, 7.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(last_case(result).at("outputs").at(0).at("pattern").get<std::string>(),
              StartsWith("right with tensors at 256-byte boundaries, wrong where each starts at a "
                         "multiple of its declared alignment"));
}

TEST_F(MemoryRungs, AReadBeyondATensorThatChangesTheResultIsTold) {
  options_.only_rung = "memory";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.request.placement == Placement::fence_begin) launch.write("y", 0, 7.0);
    return RunResult{};
  });
  EXPECT_THAT(last_case(result).at("outputs").at(0).at("pattern").get<std::string>(),
              StartsWith("right with memory around the tensors, wrong with none next to them: "));
}

TEST_F(MemoryRungs, OtherBitsAtAnotherPlaceWithinTheBoundsAreFine) {
  options_.only_rung = "memory";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.request.placement == Placement::least_alignment) nudge(launch, 0, 0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
}

TEST_F(MemoryRungs, OtherBitsInAnotherOrderOfThreadsFail) {
  options_.only_rung = "determinism";
  options_.device = "cpu";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.request.schedule_seed != 0) nudge(launch, 0, 0);
    return RunResult{};
  });
  EXPECT_EQ(kind(result), "not_deterministic");
  EXPECT_THAT(message(result),
              StartsWith("the result depends on the order of threads, first at y[0, 0] ("));
}

TEST_F(MemoryRungs, SeveralOrdersAreTried) {
  options_.only_rung = "determinism";
  options_.device = "cpu";
  std::vector<std::uint64_t> orders;
  verify([&](const FakeLaunch& launch) {
    const std::uint64_t seed = launch.request.schedule_seed;
    if (seed != 0 && std::count(orders.begin(), orders.end(), seed) == 0) orders.push_back(seed);
    return softmax_kernel(launch);
  });
  EXPECT_GE(orders.size(), 12U);  // six for each of two shapes
}

TEST_F(MemoryRungs, ChangesFromRunToRunFail) {
  options_.only_rung = "determinism";
  const auto kernel = [](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.number == 1) nudge(launch, 0, 0);
    return RunResult{};
  };
  const VerifyResult result = verify(kernel);
  EXPECT_EQ(kind(result), "not_deterministic");
  EXPECT_THAT(message(result), StartsWith("the result changes from run to run: "));
}

TEST_F(MemoryRungs, DeclaredAtomicsWithinTheBoundsPassWithANote) {
  declare_not_deterministic();
  options_.only_rung = "determinism";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.number % 2 == 1) nudge(launch, 0, least_of(launch, 0));
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::passed) << result.details;
  EXPECT_EQ(last_case(result).at("note"),
            "differs from run to run within the bounds, as the op declares");
}

TEST_F(MemoryRungs, DeclaredAtomicsBeyondTheBoundsFail) {
  declare_not_deterministic();
  options_.only_rung = "determinism";
  const VerifyResult result = verify([](const FakeLaunch& launch) {
    softmax_kernel(launch);
    if (launch.number == 1) launch.write("y", 0, 7.0);
    return RunResult{};
  });
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_THAT(last_case(result).at("outputs").at(0).at("pattern").get<std::string>(),
              StartsWith("changes from run to run: right in the first run, wrong in a later one"));
}

TEST_F(MemoryRungs, TheSanitizerIsClimbedLastAndOnlyWhenAskedFor) {
  std::vector<std::string> tools;
  tools_ = [&](SanitizerTool tool, const RunRequest&) {
    tools.emplace_back(name_of(tool));
    return clean();
  };
  options_.up_to_rung = "smoke";
  verify(softmax_kernel);
  EXPECT_TRUE(tools.empty());
  options_.up_to_rung.clear();
  options_.only_rung = "sanitizer";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::passed) << result.summary;
  EXPECT_THAT(tools, ElementsAre("memcheck", "initcheck", "racecheck", "synccheck"));
  EXPECT_EQ(last_case(result).at("memory").at("tool"), "compute-sanitizer 2025.3 synccheck");
}

TEST_F(MemoryRungs, TheOptionPutsTheSanitizerAtTheTop) {
  options_.device = "cpu";
  options_.sanitizer = true;
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::passed);
  EXPECT_EQ(result.json.at("rungs").back().at("name"), "sanitizer");
  EXPECT_EQ(result.json.at("rungs").back().at("status"), "skipped");
  EXPECT_THAT(result.json.at("rungs").back().at("reason").get<std::string>(),
              HasSubstr("watches GPUs"));
}

TEST_F(MemoryRungs, AToolThatIsMissingIsSkippedAndNeverPassed) {
  options_.only_rung = "sanitizer";
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::skipped);
  const Json& rung = result.json.at("rungs").at(0);
  EXPECT_EQ(rung.at("status"), "skipped");
  EXPECT_EQ(rung.at("cases").size(), 4U);
  EXPECT_EQ(last_case(result).at("status"), "skipped");
  EXPECT_EQ(last_case(result).at("note"), "compute-sanitizer watches GPUs only");
  EXPECT_THAT(rung.at("reason").get<std::string>(),
              HasSubstr("compute-sanitizer watches GPUs only"));
}

// One tool that cannot be used must not hide what another finds, nor make a pass of the rung.
TEST_F(MemoryRungs, AFindingBehindASkippedToolCounts) {
  options_.only_rung = "sanitizer";
  tools_ = [](SanitizerTool tool, const RunRequest&) {
    if (tool == SanitizerTool::memcheck) {
      return ToolResult{ToolResult::Outcome::unavailable, "asleep", "2025.3", {}, {}};
    }
    if (tool == SanitizerTool::racecheck) {
      ToolResult race = found("racecheck: Write access races in kernel 'k' at kernel.cu:7");
      race.finding.kind = FaultKind::race;
      return race;
    }
    return clean();
  };
  const VerifyResult result = verify(softmax_kernel);
  EXPECT_EQ(result.status, Verdict::failed);
  EXPECT_EQ(kind(result), "race");
  EXPECT_THAT(result.json.at("reason").get<std::string>(), HasSubstr("kernel.cu:7"));
}

TEST_F(MemoryRungs, AnInputThatAWatchedRunChangesIsSaid) {
  options_.only_rung = "sanitizer";
  tools_ = [](SanitizerTool, const RunRequest&) {
    ToolResult result = clean();
    result.run.changed_inputs = {"x"};
    return result;
  };
  EXPECT_EQ(kind(verify(softmax_kernel)), "changed_input");
}

}  // namespace
}  // namespace kernelloop
