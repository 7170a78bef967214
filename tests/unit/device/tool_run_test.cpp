// A worker under a watching program. The watcher here is a script that writes a prepared report;
// the worker is that of the CPU device.
#include "device/tool_run.hpp"

#include "device/description.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"

#include <cstring>

namespace kernelloop {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = ToolResult::Outcome;

constexpr const char* k_clean =
    "========= COMPUTE-SANITIZER\n"
    "========= Invalid __global__ read of size 1 bytes\n"
    "=========     at kernelloop_planted_memcheck+0x70\n"
    "========= \n"
    "========= ERROR SUMMARY: 1 error\n";

// Finds the log file and the program among its arguments, runs the program to its end, then writes.
constexpr const char* k_watcher = R"(#!/bin/sh
while [ "${1##*/}" != "kernelloop-device" ]; do
  if [ "$1" = "--log-file" ]; then log="$2"; fi
  shift
done
"$@"
sleep 0.2
cp "$0.report" "$log"
)";

class ToolRunTest : public ::testing::Test {
 protected:
  ToolRunTest() {
    artifact_ = {DEVICE_FIXTURE, {"twice"}};
    request_.arena = &arena_;
    request_.plan = test::plan_for("twice", 100);
    wanted_.program = KERNELLOOP_DEVICE_PROGRAM;
    wanted_.device = "cpu";
    wanted_.artifact = &artifact_;
    wanted_.request = &request_;
  }

  ToolResult run(const std::string& watcher, const std::string& report) {
    wanted_.tool_program = directory_.path() / "watcher";
    write_file_atomic(wanted_.tool_program, watcher);
    std::filesystem::permissions(wanted_.tool_program, std::filesystem::perms::owner_all);
    write_file_atomic(wanted_.tool_program.string() + ".report", report);
    return run_under_tool(wanted_);
  }

  TemporaryDirectory directory_;
  TensorArena arena_ = test::make_tensors(100);
  Artifact artifact_;
  RunRequest request_;
  ToolRun wanted_;
};

TEST_F(ToolRunTest, AReportThatIsWrittenAfterTheWorkersEndCounts) {
  const ToolResult result = run(k_watcher, k_clean);
  EXPECT_EQ(result.outcome, Outcome::clean) << result.reason;
  EXPECT_FALSE(result.run.fault);
  EXPECT_EQ(test::element(arena_, "y", 3), 7.0f);
}

TEST_F(ToolRunTest, AFindingIsTheCandidates) {
  const ToolResult result = run(k_watcher,
                                "========= COMPUTE-SANITIZER\n"
                                "========= Invalid __global__ write of size 4 bytes\n"
                                "=========     at twice+0x70 in kernel.cu:12\n"
                                "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_THAT(result.finding.message, HasSubstr("kernel.cu:12"));
}

TEST_F(ToolRunTest, AWatcherThatOnlyRunsTheProgramIsNoPass) {
  const ToolResult result =
      run("#!/bin/sh\nwhile [ \"${1##*/}\" != kernelloop-device ]; do shift; "
          "done\nexec \"$@\"\n",
          "");
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_THAT(result.reason, HasSubstr("wrote no report"));
}

TEST_F(ToolRunTest, AWatcherThatRefusesIsQuoted) {
  const ToolResult result = run("#!/bin/sh\necho 'unknown option --kernel-name'\nexit 1\n", "");
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_THAT(result.reason, HasSubstr("under compute-sanitizer's memcheck, loading the kernels"));
  EXPECT_THAT(result.reason, HasSubstr("unknown option --kernel-name"));
}

TEST_F(ToolRunTest, AFaultThatTheToolDoesNotExplainIsStillAFault) {
  request_.plan = test::plan_for("write_past_end", 100);
  const ToolResult result = run(k_watcher, k_clean);
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_EQ(result.finding.kind, FaultKind::illegal_access);
}

// What a watched process may send in place of the worker's replies: after the framing of
// channel.hpp, a text each.
class ToolRunReply : public ToolRunTest {
 protected:
  ToolResult run_on(const std::vector<std::string>& replies) {
    std::vector<std::string> messages;
    for (const std::string& reply : replies) {
      const auto length = static_cast<std::uint32_t>(reply.size());
      std::string message(sizeof length, '\0');
      std::memcpy(message.data(), &length, sizeof length);
      messages.push_back(message + reply);
    }
    return send(messages);
  }
  // Each of them after a request.
  ToolResult send(const std::vector<std::string>& messages) {
    std::string script = "#!/bin/sh\n";
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::string file = "message" + std::to_string(i);
      write_file_atomic(directory_.path() / file, messages[i]);
      script += "dd bs=65536 count=1 <&3 >/dev/null 2>&1\ncat \"${0%/*}/" + file + "\" >&3\n";
    }
    return run(script + "exec sleep 0.2\n", "");
  }
};

const std::string k_loaded = Json{{"fault", fault_to_json(Fault{})}}.dump();
// A good one but for its end.
const std::string k_ran = k_loaded.substr(0, k_loaded.size() - 1);

TEST_F(ToolRunReply, ThatCannotBeTakenApartIsAReason) {
  struct Wrong {
    const char* what;
    std::vector<std::string> replies;
    const char* holds;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {"no fault", {"{}"}, "loading the kernels: the worker sent a reply that is not its own"},
           {"fault of a wrong type", {R"({"fault": 7})"}, "loading the kernels: the worker sent"},
           {"kind of a wrong type", {R"({"fault": {"kind": [], "message": 3}})"}, "not its own"},
           {"error of a wrong type", {R"({"error": 1})"}, "loading the kernels: the worker sent"},
           {"error without message", {R"({"error": {"code": 3}})"}, "not its own"},
           {"run without fault", {k_loaded, "{}"}, "the run: the worker sent a reply"},
           {"run with other inputs",
            {k_loaded, k_ran + R"(, "changed_inputs": ["nobody"]})"},
            "the run: the worker sent a reply that is not its own"},
           {"counters of a wrong type",
            {k_loaded, k_ran + R"(, "counters": []})"},
            "the run: the worker sent"},
           {"final of a wrong type",
            {k_loaded, k_ran + R"(, "final": "no"})"},
            "the run: the worker sent"}}) {
    const ToolResult result = run_on(wrong.replies);
    EXPECT_EQ(result.outcome, Outcome::unavailable) << wrong.what;
    EXPECT_THAT(result.reason, HasSubstr(wrong.holds)) << wrong.what;
    EXPECT_THAT(result.reason, Not(HasSubstr("json.exception"))) << wrong.what;
  }
}

TEST_F(ToolRunReply, ThatIsNoJsonObjectIsADeath) {
  for (const std::string& reply :
       {std::string(), std::string("{\"fault\": nu"), std::string("[1, 2]"), std::string("7"),
        std::string(3, '\0'), std::string(100000, '[')}) {
    const ToolResult result = run_on({reply});
    EXPECT_EQ(result.outcome, Outcome::unavailable);
    EXPECT_THAT(result.reason, HasSubstr("loading the kernels: it exited with code 0"));
  }
}

TEST_F(ToolRunReply, ThatEndsInTheMiddleOrBoastsOfItsLengthIsADeath) {
  for (const std::string& bytes : {std::string("\x10"), std::string("\xff\xff\xff\xff{", 5),
                                   std::string("\x20\0\0\0{\"fault\"", 12)}) {
    const ToolResult result = send({bytes});
    EXPECT_EQ(result.outcome, Outcome::unavailable);
    EXPECT_THAT(result.reason, HasSubstr("loading the kernels: it "));
  }
}

TEST_F(ToolRunReply, OfAHundredMegabytesIsRefusedBeforeItIsRead) {
  const std::uint32_t length = 100u << 20;
  std::string message(sizeof length, '\0');
  std::memcpy(message.data(), &length, sizeof length);
  const ToolResult result = send({message + std::string(1000, ' ')});
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_THAT(result.reason, HasSubstr("loading the kernels: it "));
}

TEST_F(ToolRunTest, AReportThatIsDamagedIsNoPass) {
  for (const std::string& report :
       {std::string("\0\0\0", 3), std::string(k_clean).substr(0, 40),
        std::string("========= ERROR SUMMARY: 99999999999999999999999 errors\n"),
        std::string("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: "),
        std::string("=========     at twice+0xzz in kernel.cu:99999999999999999999\n"),
        std::string(20u << 20, '=')}) {
    const ToolResult result = run(k_watcher, report);
    EXPECT_NE(result.outcome, Outcome::clean) << report.substr(0, 60);
  }
}

TEST_F(ToolRunTest, NamesOfTheHarnessAreTaken) {
  artifact_.kernels = {"kernelloop_planted_memcheck"};
  const ToolResult result = run(k_watcher, k_clean);
  EXPECT_EQ(result.outcome, Outcome::found);
  EXPECT_THAT(result.finding.message, HasSubstr("rename it"));
}

}  // namespace
}  // namespace kernelloop
