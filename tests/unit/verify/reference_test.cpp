#include "support/error.hpp"
#include "support/files.hpp"
#include "verify/reference_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <span>
#include <thread>
#include <utility>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t k_rows = 9;
constexpr std::int64_t k_cols = 5;

OpSpec probe() {
  return samples::spec_from(R"({"name": "probe", "description": "Twice x",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float32"},
               "mode": {"shape": null, "dtype": "int32"}},
    "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"rows": 4, "cols": 4}}]})");
}

struct Probe {
  std::int64_t rows = k_rows;
  std::int64_t cols = k_cols;
  std::vector<double> x = std::vector<double>(static_cast<std::size_t>(rows * cols), 1.5);

  [[nodiscard]] ReferenceInputs inputs(int mode) const {
    ReferenceInputs inputs;
    inputs.axes = {{"rows", rows}, {"cols", cols}};
    inputs.scalars = {{"mode", mode}};
    inputs.tensors = {{"x", x}};
    return inputs;
  }

  std::map<std::string, ReferenceOutput> run(
      int mode, std::chrono::milliseconds timeout = std::chrono::seconds(60)) const {
    return ReferenceLibrary(KERNELLOOP_TEST_PROBE, timeout).run(probe(), inputs(mode));
  }

  std::string error(int mode, std::chrono::milliseconds timeout = std::chrono::seconds(60)) const {
    try {
      run(mode, timeout);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("the reference of op 'probe' for rows=9, cols=5: it "));
      return error.what();
    }
    return "no error";
  }
};

TEST(Reference, GivesItsOutputs) {
  const auto outputs = Probe().run(0);
  EXPECT_THAT(outputs.at("y").values, testing::Each(3.0));
  EXPECT_EQ(outputs.at("y").values.size(), 45U);
  EXPECT_TRUE(outputs.at("y").magnitudes.empty());
  EXPECT_DOUBLE_EQ(outputs.at("y").scale.rms, 3.0);
}

TEST(Reference, MayGiveTheMagnitudeOfItsTerms) {
  EXPECT_THAT(Probe().run(8).at("y").magnitudes, testing::Each(5.0));
}

// Too much for a room of the call server.
constexpr std::int64_t k_many_rows = 50000;

TEST(Reference, GivesTheSameOfManyElements) {
  const Probe many{k_many_rows};
  const auto outputs = many.run(8);
  EXPECT_THAT(outputs.at("y").values, testing::Each(3.0));
  EXPECT_EQ(outputs.at("y").values.size(), static_cast<std::size_t>(k_many_rows * k_cols));
  EXPECT_THAT(outputs.at("y").magnitudes, testing::Each(5.0));
  EXPECT_TRUE(many.run(0).at("y").magnitudes.empty());
}

TEST(Reference, FindsNothingOfAnEarlierCall) {
  const ReferenceLibrary library(KERNELLOOP_TEST_PROBE);
  for (const std::int64_t rows : {k_rows, k_many_rows}) {
    const Probe one{rows};
    for (int call = 0; call < 3; ++call) {
      EXPECT_THAT(library.run(probe(), one.inputs(17)).at("y").values, testing::Each(1.0));
    }
  }
}

TEST(Reference, MayLeaveAThreadBehind) {
  EXPECT_THAT(Probe().run(18).at("y").values, testing::Each(3.0));
}

TEST(Reference, GoesOnAfterACallThatFailed) {
  const ReferenceLibrary library(KERNELLOOP_TEST_PROBE);
  const Probe one;
  for (const int mode : {1, 2, 11, 19}) {
    EXPECT_THROW((void)library.run(probe(), one.inputs(mode)), Error);
    EXPECT_THAT(library.run(probe(), one.inputs(0)).at("y").values, testing::Each(3.0));
  }
}

TEST(Reference, AnswersManyThreadsAtOnce) {
  const ReferenceLibrary library(KERNELLOOP_TEST_PROBE);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      Probe one{thread == 0 ? k_many_rows : k_rows};
      std::ranges::fill(one.x, thread + 1.0);
      for (int call = 0; call < 4; ++call) {
        const auto outputs = library.run(probe(), one.inputs(0));
        const std::span<const double> y = outputs.at("y").values;
        if (std::ranges::all_of(y, [&](double v) { return v == 2.0 * (thread + 1.0); })) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 32);
}

TEST(Reference, FindsZerosForItsMagnitudesAtEveryCall) {
  const Probe probe_call;
  const ReferenceLibrary library(KERNELLOOP_TEST_PROBE);
  for (int call = 0; call < 3; ++call) {
    EXPECT_THAT(library.run(probe(), probe_call.inputs(8)).at("y").magnitudes, testing::Each(5.0));
  }
  EXPECT_TRUE(library.run(probe(), probe_call.inputs(0)).at("y").magnitudes.empty());
}

// An output of so few elements has no neighbours that would tell: all of it may have cancelled.
TEST(Reference, IsAskedForTheTermsOfAFewElements) {
  const Probe few{1, 2, {1.0, -2.999999}};
  const auto outputs = few.run(13);
  const ReferenceOutput& y = outputs.at("y");
  EXPECT_NEAR(y.values[0], 1e-6, 1e-12);
  ASSERT_EQ(y.probed_terms.size(), 2U);
  EXPECT_NEAR(y.probed_terms[0], 3.0 + 2.999999, 1e-6);
  EXPECT_NEAR(y.probed_terms[1], 2 * 2.999999, 1e-6);
}

// A family can make all elements cancel, so that none tells of another.
TEST(Reference, IsAskedForTheTermsOfManyElementsThatMayAllCancel) {
  const auto outputs = Probe().run(21);
  const ReferenceOutput& y = outputs.at("y");
  EXPECT_THAT(y.values, testing::Each(0.0));
  ASSERT_EQ(y.probed_terms.size(), 45U);
  EXPECT_THAT(y.probed_terms, testing::Each(testing::DoubleNear(1.5, 1.5)));
  EXPECT_GT(*std::max_element(y.probed_terms.begin(), y.probed_terms.end()), 1.0);
}

TEST(Reference, AStepBetweenInputsIsNoTerm) {
  Probe at_steps;
  at_steps.x.assign(at_steps.x.size(), 2.0);
  EXPECT_THAT(at_steps.run(22).at("y").probed_terms, testing::Each(0.0));
}

// An output of one element has none beside it for inputs of the other sign.
TEST(Reference, IsAskedForWhatInputsOfOtherSignsGiveWhereTheSpecServesThem) {
  ReferenceInputs inputs;
  const std::vector<double> x = {-20.0};
  inputs.axes = {{"rows", 1}, {"cols", 1}};
  inputs.scalars = {{"mode", 23}};
  inputs.tensors = {{"x", x}};
  const ReferenceLibrary library(KERNELLOOP_TEST_PROBE);
  OpSpec spec = probe();
  EXPECT_NEAR(library.run(spec, inputs).at("y").probed_terms.at(0), 20.0, 1e-6);
  spec.inputs.at(0).values.at_most = 0.0;
  EXPECT_NEAR(library.run(spec, inputs).at("y").probed_terms.at(0), 20.0 * std::exp(-20.0), 1e-10);
}

TEST(Reference, IsNotAskedForTermsThatItGaveOrOfTooManyElements) {
  const Probe few{1, 2, {1.0, 2.0}};
  EXPECT_TRUE(few.run(8).at("y").probed_terms.empty());
  EXPECT_TRUE(Probe().run(8).at("y").probed_terms.empty());
  const Probe many{1024, 513};
  EXPECT_TRUE(many.run(0).at("y").probed_terms.empty());
}

TEST(Reference, IsAskedForTheTermsOfOneElementMadeOfMany) {
  const OpSpec count = samples::spec_from(R"({"name": "count", "description": "Positive ones",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows"], "dtype": "float32"}},
    "workloads": [{"name": "w", "axes": {"rows": 4, "cols": 4}}]})");
  const std::vector<double> x(1000000, 1.0);
  ReferenceInputs inputs;
  inputs.axes = {{"rows", 1}, {"cols", 1000000}};
  inputs.tensors = {{"x", x}};
  const auto outputs = ReferenceLibrary(KERNELLOOP_TEST_COUNT).run(count, inputs);
  EXPECT_THAT(outputs.at("y").values, testing::ElementsAre(1e6));
  // None moves it; with other signs half of them count, or none.
  EXPECT_THAT(outputs.at("y").probed_terms,
              testing::ElementsAre(AllOf(testing::Gt(4.9e5), testing::Lt(5.1e5))));
}

TEST(Reference, MayRefuseInputsThatAreNotWhatTheSpecDraws) {
  const Probe few{1, 2, {1.0, 2.0}};
  const auto outputs = few.run(14);
  EXPECT_THAT(outputs.at("y").values, testing::ElementsAre(2.0, 4.0));
  EXPECT_TRUE(outputs.at("y").probed_terms.empty());
}

TEST(Reference, SpreadsOverTheCores) {
  const auto outputs = Probe(k_many_rows).run(9);
  for (std::size_t i = 0; i < static_cast<std::size_t>(k_many_rows * k_cols); ++i) {
    EXPECT_EQ(outputs.at("y").values[i], static_cast<double>(i / 5));
  }
}

TEST(Reference, ACrashIsNamed) {
  EXPECT_THAT(Probe().error(1), HasSubstr("crashed with signal 11 (Segmentation fault)"));
  EXPECT_THAT(Probe().error(11), HasSubstr("ended the process with exit code 0"));
  EXPECT_THAT(Probe().error(19), HasSubstr("crashed with signal 11 (Segmentation fault)"));
}

TEST(Reference, WhatItPrintedFollowsItsEnd) {
  EXPECT_THAT(Probe().error(16), HasSubstr("(Segmentation fault); it printed: row 3 looks odd"));
}

TEST(Reference, OfAGigabyteOfOutputTheEndIsPassedOn) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Probe().error(15), "no error");
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_THAT(output, HasSubstr("bytes left out)\nxxx"));
  EXPECT_TRUE(output.ends_with("xxxthe end\n"));
  EXPECT_LT(output.size(), 10000u);
}

TEST(Reference, WhatItThrowsIsShown) {
  EXPECT_THAT(Probe().error(2), HasSubstr("failed: the tables are missing"));
  EXPECT_THAT(Probe().error(10), HasSubstr("failed: row 3 is odd"));
  EXPECT_THAT(Probe().error(99), HasSubstr("threw something that is no std::exception"));
}

TEST(Reference, AHangEnds) {
  EXPECT_THAT(Probe().error(3, std::chrono::milliseconds(300)),
              HasSubstr("did not end within 0.3 s (1 thread: "));
}

TEST(Reference, AnUnwrittenElementIsNamed) {
  EXPECT_THAT(Probe().error(4), HasSubstr("leaves element [8, 4] of output 'y' unwritten"));
}

TEST(Reference, NanFromFiniteInputsIsNamed) {
  EXPECT_THAT(Probe().error(5),
              HasSubstr("makes NaN of finite inputs in element [1, 2] of output 'y'"));
  EXPECT_THAT(Probe().error(12), HasSubstr("does it read the output before it writes it?"));
}

TEST(Reference, UnknownNamesAreListedWithTheKnownOnes) {
  EXPECT_THAT(Probe().error(6), HasSubstr("no axis named 'columns'; the op spec has: rows, cols"));
  EXPECT_THAT(Probe().error(7), HasSubstr("no input named 'y'; the op spec has: x"));
}

TEST(Reference, ALibraryThatIsNoneIsNamed) {
  const std::vector<double> x(16, 1.0);
  ReferenceInputs inputs;
  inputs.axes = {{"rows", 4}, {"cols", 4}};
  inputs.scalars = {{"mode", 0}};
  inputs.tensors = {{"x", x}};
  const auto error_of = [&](const std::filesystem::path& library) -> std::string {
    try {
      (void)ReferenceLibrary(library).run(probe(), inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of("/nowhere/libprobe.so"), HasSubstr("no such reference library"));
  EXPECT_THAT(error_of(KERNELLOOP_TEST_EMPTY_LIBRARY),
              HasSubstr("defines no reference; write KERNELLOOP_REFERENCE(probe)"));
  EXPECT_THAT(error_of(KERNELLOOP_TEST_SOFTMAX),
              HasSubstr("is KERNELLOOP_REFERENCE(softmax), but the op is 'probe'"));
  const TemporaryDirectory directory;
  write_file_atomic(directory.path() / "text.so", "no library");
  EXPECT_THAT(error_of(directory.path() / "text.so"), HasSubstr("cannot be loaded: "));
}

TEST(Reference, TheShippedOnesAgreeWithTheTestsOwn) {
  for (const samples::Problem& problem :
       {samples::softmax_problem(17, 33), samples::rmsnorm_problem(17, 33)}) {
    ReferenceInputs inputs;
    inputs.axes = problem.axes;
    if (problem.spec.name == "rmsnorm") inputs.scalars = {{"eps", 1e-6F}};
    for (const auto& [name, values] : problem.inputs) inputs.tensors[name] = values;
    const char* library =
        problem.spec.name == "softmax" ? KERNELLOOP_TEST_SOFTMAX : KERNELLOOP_TEST_RMSNORM;
    const auto outputs = ReferenceLibrary(library).run(problem.spec, inputs);
    EXPECT_THAT(outputs.at("y").values,
                testing::Pointwise(testing::DoubleNear(1e-12), problem.expected));
  }
}

}  // namespace
}  // namespace kernelloop
