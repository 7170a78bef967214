#include "compile/launch_policy.hpp"

#include "compile/source_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> policy_texts(const std::vector<Problem>& problems) {
  std::vector<std::string> result;
  for (const Problem& one : problems) {
    EXPECT_EQ(one.kind, Problem::Kind::policy);
    EXPECT_EQ(one.severity, Problem::Severity::error);
    result.push_back(std::to_string(one.line) + " " + one.message);
  }
  return result;
}

std::vector<std::string> broken_launch_rules(const std::string& ptx, const std::string& source) {
  const PtxModule module(ptx, "arithmetic.cu");
  const PtxCode code = read_ptx_code(module.lines());
  return policy_texts(
      check_launch_independence(module, code, read_instructions(code, module), SourceText(source)));
}

TEST(LaunchPolicy, RefusesStateAndClocks) {
  EXPECT_THAT(
      broken_launch_rules(recorded("arithmetic.ptx"), recorded("arithmetic.cu")),
      ElementsAre(
          "73 the kernels write the __device__ variable 'cache', which would carry state from one "
          "launch to the next; keep it in the plan's workspace, set by an earlier launch of the "
          "same plan, or in shared memory",
          HasSubstr("73 the kernels write the __device__ variable 'visits'"),
          "80 reads %clock64: a version may not look at clocks or launch counters, since it could "
          "then behave differently when it is timed; remove the read",
          // The source names the timer: its header's reads are no longer believed to be waits.
          HasSubstr("87 reads %globaltimer"), HasSubstr("79 reads %globaltimer")));
}

// What the toolkit's barrier makes of a wait; file 2 is its header.
constexpr const char* k_wait = R"(
.visible .entry k()
{
	.loc 1 7 3
	.loc 2 41 3, function_name $L__info_string23, inlined_at 1 7 3
	mov.u64 %rd6, %globaltimer;
	ret;
}
.file 1 "arithmetic.cu"
.file 2 "/usr/local/cuda/include/cuda/std/__cuda/chrono.h"
)";

TEST(LaunchPolicy, LetsTheToolkitsBarriersWait) {
  EXPECT_THAT(broken_launch_rules(k_wait, "bar.arrive_and_wait();"), IsEmpty());
  EXPECT_THAT(broken_launch_rules(k_wait, "auto t = cuda::std::chrono::system_clock::now();"),
              ElementsAre(HasSubstr("7 reads %globaltimer")));
  std::string clock = k_wait;
  clock.replace(clock.find("%globaltimer"), 12, "%clock64");
  EXPECT_THAT(broken_launch_rules(clock, "bar.arrive_and_wait();"),
              ElementsAre(HasSubstr("%clock64")));
}

TEST(LaunchPolicy, WantsToReadEveryStatement) {
  EXPECT_THAT(broken_launch_rules(".entry k() {\nfrobnicate.u32 %r1, %r2;\n}\n", ""),
              ElementsAre(HasSubstr("a statement that starts with `frobnicate.u32`")));
}

TEST(LaunchPolicy, WantsToSeeWhereAddressesGo) {
  EXPECT_THAT(broken_launch_rules(".global .u32 hidden;\n.entry k() {\nmov.u64 %rd1, hidden;\n"
                                  "st.param.b64 [param0], %rd1;\ncall.uni f, (param0);\n}\n",
                                  "\n__device__ int hidden;\n"),
              ElementsAre("2 the address of the __device__ variable 'hidden' is stored, passed on "
                          "or used as a number, so nothing shows that it is never written; make it "
                          "__constant__, or read it by its name where it is used"));
}

TEST(LaunchPolicy, AnEarlyLaunchNeedsAPlanForIt) {
  const PtxModule module(
      ".entry k() {\ngriddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n}\n", "k.cu");
  const Instructions instructions = read_instructions(read_ptx_code(module.lines()), module);
  LaunchPlan plan;
  plan.launches.resize(2);
  EXPECT_THAT(
      policy_texts(check_dependent_launch(plan, instructions)),
      ElementsAre(HasSubstr("no launch of the plan has \"programmatic_dependent_launch\"")));
  plan.launches[1].programmatic_dependent = true;
  EXPECT_THAT(check_dependent_launch(plan, instructions), IsEmpty());
}

}  // namespace
}  // namespace kernelloop
