// What a candidate can do to its worker, and what the parent makes of it.
#include "device/worker_client.hpp"
#include "device/worker_process.hpp"
#include "support/control_group.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;
using test::element;
using test::make_tensors;
using test::plan_for;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int k_elements = 100;

Worker make_worker() { return Worker(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM}); }

// One worker with the plain fixture as module 0.
class Supervision : public ::testing::Test {
 protected:
  Supervision() : worker_(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM}) {
    worker_.load({DEVICE_FIXTURE, {"twice"}});
  }

  RunResult run(const std::string& kernel, milliseconds timeout = milliseconds(60000)) {
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for(kernel, k_elements);
    request.timeout = timeout;
    return worker_.run(request);
  }

  void expect_healthy() {
    const RunResult result = run("twice");
    EXPECT_EQ(result.fault.kind, FaultKind::none) << result.fault.message;
    EXPECT_EQ(element(arena_, "y", 7), 15.0f);
  }

  TensorArena arena_ = make_tensors(k_elements);
  Worker worker_;
};

// bubblewrap tells in several writes; on a busy machine time passes between them.
TEST(SupervisionOfSandboxes, ASlowSandboxIsHeardToItsEnd) {
  if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
  const TemporaryDirectory directory;
  const std::filesystem::path slow = directory.path() / "bwrap";
  std::ofstream(slow) << "#!/bin/bash\n"
                         "printf '{\"child-pid\": %d' $$ >&4\n"
                         "sleep 0.3\n"
                         "printf '}\\n' >&4\n"
                         "exec 5>/dev/null\n"
                         "for word; do [[ $word != 4 ]] || word=5; words+=(\"$word\"); done\n"
                      << "exec " << find_program("bwrap").string() << " \"${words[@]}\"\n";
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (directory.path().string() + ":" + path).c_str(), 1);
  try {
    Worker worker = make_worker();
    EXPECT_EQ(worker.device().kind, "cpu");
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(Supervision, AGoodKernelFillsItsOutput) {
  const RunResult result = run("twice");
  EXPECT_FALSE(result.fault) << result.fault.message;
  EXPECT_THAT(result.changed_inputs, IsEmpty());
  for (int i = 0; i < k_elements; ++i) EXPECT_EQ(element(arena_, "y", i), 2 * i + 1.0f);
}

TEST_F(Supervision, DescribesTheDevice) {
  const DeviceDescription& device = worker_.device();
  EXPECT_EQ(device.kind, "cpu");
  EXPECT_FALSE(device.name.empty());
  EXPECT_GT(device.memory_bytes, 0);
  EXPECT_THAT(device.confinement,
              HasSubstr(sandbox_problem().empty() ? "bubblewrap (no network" : "no bubblewrap ("));
  EXPECT_THAT(device.confinement, HasSubstr(control_group_home().path.empty()
                                                ? "; memory watched; "
                                                : "; memory limited by a control group; "));
  EXPECT_THAT(device.confinement, HasSubstr("no new privileges"));
  EXPECT_THAT(device.confinement, HasSubstr("ends with its parent"));
  EXPECT_THAT(device.confinement, HasSubstr("no other programs, no sockets, no signals"));
}

TEST_F(Supervision, OutputsArePoisonedFirst) {
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("nothing", k_elements);
  request.poison = Poison();
  EXPECT_FALSE(worker_.run(request).fault);
  EXPECT_TRUE(std::isnan(element(arena_, "y", 0)));
  request.poison = Poison(std::byte{0});
  EXPECT_FALSE(worker_.run(request).fault);
  EXPECT_EQ(element(arena_, "y", k_elements - 1), 0.0f);
  request.poison = Poison::noise(7);
  EXPECT_FALSE(worker_.run(request).fault);
  std::vector<std::byte> expected(arena_.bytes("y").size());
  request.poison.fill(expected);
  EXPECT_TRUE(std::ranges::equal(arena_.bytes("y"), expected));
}

TEST_F(Supervision, TheScheduleSeedReachesTheLaunch) {
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("seed", k_elements);
  request.schedule_seed = 12;
  EXPECT_FALSE(worker_.run(request).fault);
  EXPECT_EQ(element(arena_, "y", 0), 12.0f);
}

TEST_F(Supervision, AnEndlessKernelIsKilledAtItsDeadline) {
  const RunResult result = run("endless", milliseconds(300));
  EXPECT_EQ(result.fault.kind, FaultKind::timeout);
  EXPECT_THAT(result.fault.message, HasSubstr("0.3 s"));
  EXPECT_THAT(result.fault.message, HasSubstr("still going"));
  expect_healthy();
}

TEST_F(Supervision, ASegmentationFaultIsACrashThatSaysWhere) {
  const RunResult result = run("null_pointer");
  EXPECT_EQ(result.fault.kind, FaultKind::crash);
  EXPECT_THAT(result.fault.message, HasSubstr("signal 11"));
  EXPECT_THAT(result.fault.message, HasSubstr("address 0x10, which belongs to no tensor"));
  expect_healthy();
}

TEST_F(Supervision, AGigabyteOfOutputDoesNoHarm) {
  const RunResult result = run("gigabyte");
  EXPECT_EQ(result.fault.kind, FaultKind::none) << result.fault.message.substr(0, 200);
  EXPECT_EQ(element(arena_, "y", 1), 3.0f);
}

TEST_F(Supervision, AWriteRightPastTheEndNamesTheTensor) {
  const RunResult result = run("write_past_end");
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("past the end of 'y' (400 bytes)"));
  expect_healthy();
}

TEST_F(Supervision, AReadFarPastTheEndNamesTheTensor) {
  const RunResult result = run("read_far_past_end");
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("read at byte 400400, past the end of 'x'"));
  expect_healthy();
}

TEST_F(Supervision, AWriteBeforeTheStartNamesTheTensor) {
  const RunResult result = run("write_before_start");
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("4 bytes before the start of 'y'"));
}

TEST_F(Supervision, AKernelThatEndsTheProcessIsACrash) {
  const RunResult result = run("exits");
  EXPECT_EQ(result.fault.kind, FaultKind::crash);
  EXPECT_THAT(result.fault.message, HasSubstr("exited with code 0"));
  EXPECT_THAT(result.fault.message, HasSubstr("goodbye"));
  expect_healthy();
}

TEST_F(Supervision, AReplyThatTheCandidateWroteIsItsCrash) {
  for (const char* kernel :
       {"answers_nothing", "answers_nonsense", "answers_for_strangers", "answers_an_error"}) {
    const RunResult result = run(kernel);
    EXPECT_EQ(result.fault.kind, FaultKind::crash) << kernel;
    EXPECT_THAT(result.fault.message, HasSubstr("code of the version writes into its channel"));
    EXPECT_THAT(result.fault.message, Not(HasSubstr("the reference is wrong")));
    EXPECT_THAT(result.changed_inputs, IsEmpty());
    expect_healthy();
  }
}

TEST_F(Supervision, AChangedInputIsNamedAndTheParentsCopyIsUnharmed) {
  const RunResult result = run("changes_input");
  EXPECT_EQ(result.fault.kind, FaultKind::changed_input);
  EXPECT_EQ(result.fault.message, "the kernel writes to input 'x'; inputs are for reading only");
  EXPECT_EQ(element(arena_, "x", k_elements / 2), k_elements / 2 + 0.5f);
}

// A worker that may start programs, as those with clang's sanitizers may, and does; in a sandbox of
// its own and without one. It answers the first request and ends at the second: the length of each,
// 10, is a newline.
class SupervisionOfChildren : public ::testing::TestWithParam<bool> {
 protected:
  SupervisionOfChildren() {
    if (GetParam() && !sandbox_problem().empty()) return;
    const std::filesystem::path program = folder_.path() / "worker";
    // A message is its length, 4 bytes, and JSON; the channel is descriptor 3.
    write_file_atomic(program, "#!/bin/sh\nsleep " + number_ + " &\n" +
                                   "printf '\\014\\000\\000\\000{\"device\":1}' >&3\n" +
                                   "read first <&3\nread second <&3\nexit 3\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    WorkerStart start;
    start.program = program;
    start.device = "cpu";
    if (GetParam()) start.sandbox = SandboxRules{{folder_.path()}, {}, {}};
    process_ = std::make_unique<WorkerProcess>(start);
  }

  void SetUp() override {
    if (!process_) GTEST_SKIP() << sandbox_problem();
  }

  Exchange ask() { return process_->ask(Json{{"op", "x"}}, {}, std::chrono::seconds(60)); }

  // Whether the child that sleeps so long is there.
  [[nodiscard]] bool child_lives() const {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      const std::filesystem::path file = entry.path() / "cmdline";
      std::string line;
      std::getline(std::ifstream(file), line);
      if (line == std::string("sleep\0", 6) + number_ + '\0') return true;
    }
    return false;
  }

  TemporaryDirectory folder_;
  std::string number_ = std::to_string(1000000 + ::getpid());
  std::unique_ptr<WorkerProcess> process_;
};

TEST_P(SupervisionOfChildren, AChildLeftBehindGoesWithTheWorker) {
  ASSERT_EQ(ask().end, Exchange::End::replied);
  for (int i = 0; i < 500 && !child_lives(); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(child_lives());
  process_.reset();
  // It is killed with the worker, and takes a moment to go.
  for (int i = 0; i < 500 && child_lives(); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_FALSE(child_lives());
}

TEST_P(SupervisionOfChildren, AChildThatHoldsTheChannelDoesNotHideTheWorkersEnd) {
  ASSERT_EQ(ask().end, Exchange::End::replied);
  const Exchange exchange = ask();
  EXPECT_EQ(exchange.end, Exchange::End::died);
  EXPECT_EQ(exchange.how_it_died, "exited with code 3");
}

INSTANTIATE_TEST_SUITE_P(Places, SupervisionOfChildren, ::testing::Bool(),
                         [](const auto& place) { return place.param ? "Sandbox" : "Plain"; });

TEST_F(Supervision, EachStatusOfAModuleHasItsFault) {
  const std::vector<std::pair<std::string, FaultKind>> expected{
      {"divergent", FaultKind::divergent_barrier},
      {"trap", FaultKind::trap},
      {"limit", FaultKind::launch_refused},
      {"not_runnable", FaultKind::not_runnable},
      {"mask", FaultKind::other},
  };
  for (const auto& [kernel, kind] : expected) {
    const RunResult result = run(kernel);
    EXPECT_EQ(result.fault.kind, kind) << kernel;
    EXPECT_THAT(result.fault.message, HasSubstr(kernel + ": "));
  }
  EXPECT_THAT(run("divergent").fault.message, HasSubstr("thread 3 waits at k.cu:7"));
}

TEST_F(Supervision, AnUnknownKernelIsRefused) {
  const RunResult result = run("missing");
  EXPECT_EQ(result.fault.kind, FaultKind::launch_refused);
  EXPECT_THAT(result.fault.message, HasSubstr("no kernel 'missing'"));
}

TEST_F(Supervision, ParametersMustFitTheKernel) {
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("twice", k_elements);
  request.plan.launches[0].arguments.pop_back();
  RunResult result = worker_.run(request);
  EXPECT_EQ(result.fault.kind, FaultKind::launch_refused);
  EXPECT_THAT(result.fault.message, HasSubstr("takes 3 parameters (of 8, 8, 4 bytes)"));
  request.plan.launches[0].arguments.push_back(test::value_argument(std::int64_t{1}));
  result = worker_.run(request);
  EXPECT_EQ(result.fault.kind, FaultKind::launch_refused);
  EXPECT_THAT(result.fault.message, HasSubstr("parameter 2 of kernel 'twice' has 4 bytes"));
}

TEST_F(Supervision, TheWorkerSeesNoSecretsAndNoForeignFiles) {
  ::setenv("KERNELLOOP_TEST_API_KEY", "secret", 1);
  ::setenv("CUDA_COREDUMP_FILE", "/tmp/core", 1);
  FILE* open_file = std::fopen("/proc/self/exe", "r");
  ASSERT_NE(open_file, nullptr);
  const int inheritable = ::dup(::fileno(open_file));  // without close-on-exec
  EXPECT_FALSE(run("environment").fault);
  EXPECT_EQ(element(arena_, "y", 0), 0.0f);
  EXPECT_EQ(element(arena_, "y", 1), 0.0f);
  EXPECT_EQ(element(arena_, "y", 2), 0.0f);
  ::close(inheritable);
  std::fclose(open_file);
  ::unsetenv("KERNELLOOP_TEST_API_KEY");
  ::unsetenv("CUDA_COREDUMP_FILE");
}

TEST(SupervisionOfLoading, AMissingKernelIsSaid) {
  TensorArena arena = make_tensors(k_elements);
  Worker worker = make_worker();
  EXPECT_EQ(worker.load({DEVICE_FIXTURE, {"twice", "thrice"}}), 0);
  RunRequest request;
  request.arena = &arena;
  request.plan = plan_for("twice", k_elements);
  const RunResult result = worker.run(request);
  EXPECT_EQ(result.fault.kind, FaultKind::load_failed);
  EXPECT_THAT(result.fault.message, HasSubstr("no kernel 'thrice'"));
}

TEST(SupervisionOfLoading, WhatCannotBeLoadedIsSaid) {
  TensorArena arena = make_tensors(k_elements);
  Worker worker = make_worker();
  const int missing = worker.load({"/nowhere/kernel.cpu.so", {}});
  const int old = worker.load({DEVICE_FIXTURE_OLD_ABI, {}});
  const int dies = worker.load({DEVICE_FIXTURE_BAD_LOAD, {}});
  const int good = worker.load({DEVICE_FIXTURE, {"twice"}});
  RunRequest request;
  request.arena = &arena;
  request.plan = plan_for("twice", k_elements);
  EXPECT_THAT(worker.run(request, missing).fault.message, HasSubstr("No such file"));
  EXPECT_THAT(worker.run(request, old).fault.message, HasSubstr("compile it again"));
  const RunResult dead = worker.run(request, dies);
  EXPECT_EQ(dead.fault.kind, FaultKind::load_failed);
  EXPECT_THAT(dead.fault.message, HasSubstr("signal 6"));
  EXPECT_FALSE(worker.run(request, good).fault);
}

TEST(SupervisionOfStart, AMissingProgramIsAnErrorOfTheEnvironment) {
  Worker worker(WorkerOptions{"cpu", "/nowhere/kernelloop-device"});
  try {
    worker.device();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/kernelloop-device"));
  }
}

TEST(SupervisionOfStart, AProgramThatIsNoWorkerIsAnErrorOfTheEnvironment) {
  Worker worker(WorkerOptions{"cpu", "/bin/false"});
  try {
    worker.device();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("exited with code 1 before it was ready"));
  }
}

TEST(SupervisionOfStart, AnUnknownDeviceIsAnError) {
  Worker worker(WorkerOptions{"abacus", KERNELLOOP_DEVICE_PROGRAM});
  try {
    worker.device();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no device kind 'abacus'"));
  }
}

// Modules built with the sanitizers.
class SanitizedSupervision : public Supervision {
 protected:
  SanitizedSupervision() {
    // The plain worker runs already when the sanitized module comes: it must be replaced.
    expect_healthy();
    module_ = worker_.load({DEVICE_FIXTURE_SANITIZED, {"twice"}});
  }

  RunResult run_sanitized(const std::string& kernel) {
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for(kernel, k_elements);
    return worker_.run(request, module_);
  }

  int module_ = 0;
};

TEST_F(SanitizedSupervision, AGoodKernelRuns) {
  const RunResult result = run_sanitized("twice");
  EXPECT_FALSE(result.fault) << result.fault.message;
  EXPECT_EQ(element(arena_, "y", 3), 7.0f);
}

TEST_F(SanitizedSupervision, AnOverrunIsNamedWithFileAndLine) {
  const RunResult result = run_sanitized("write_past_end");
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("out-of-bounds: WRITE of size 4"));
  EXPECT_THAT(result.fault.message, HasSubstr("candidate.cpp:"));
  EXPECT_THAT(result.fault.message, HasSubstr("byte 400 of 'y' (400 bytes)"));
  EXPECT_FALSE(run_sanitized("twice").fault);
}

TEST_F(SanitizedSupervision, AStoreToAnInputIsNamedWithFileAndLine) {
  const RunResult result = run_sanitized("changes_input");
  EXPECT_EQ(result.fault.kind, FaultKind::changed_input);
  EXPECT_THAT(result.fault.message, HasSubstr("writes to input 'x' at candidate.cpp:"));
}

TEST_F(SanitizedSupervision, AnUnderrunIsNamed) {
  const RunResult result = run_sanitized("write_before_start");
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("4 bytes before the start of 'y'"));
}

TEST_F(SanitizedSupervision, UndefinedBehaviourIsNamedWithFileAndLine) {
  const RunResult result = run_sanitized("overflow");
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("signed integer overflow"));
  EXPECT_THAT(result.fault.message, HasSubstr("candidate.cpp:"));
}

TEST_F(SanitizedSupervision, AWildPointerIsNoted) {
  const RunResult result = run_sanitized("null_pointer");
  EXPECT_TRUE(result.fault);
  EXPECT_THAT(result.fault.message, HasSubstr("candidate.cpp:"));
}

}  // namespace
}  // namespace kernelloop
