#include "doctor/doctor.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/ledger.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using Level = Finding::Level;

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() {
    machine_.proc = root_.path() / "proc";
    machine_.device_tool = program("kernelloop-device", "echo no GPU here >&2; exit 4");
    machine_.host_compiler = program("c++", "echo 'c++ 12.2'");
    machine_.nvcc = program("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'");
    machine_.environment = [this](const std::string& name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    };
    variables_["XDG_CONFIG_HOME"] = (root_.path() / "config").string();
  }
  fs::path program(const std::string& name, const std::string& script) const {
    fs::path path = root_.path() / "bin" / name;
    write_file_atomic(path, "#!/bin/sh\n" + script + "\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  static Finding find(const std::vector<Finding>& findings, const std::string& topic) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const Finding& one) { return one.topic == topic; });
    return found == findings.end() ? Finding{Level::broken, "", "no such topic", ""} : *found;
  }

  TemporaryDirectory root_;
  std::map<std::string, std::string> variables_;
  Surroundings machine_;
};

TEST_F(DoctorTest, NamesCompilersWithTheirVersions) {
  const auto findings = check_compilers(machine_);
  EXPECT_EQ(find(findings, "host compiler").text, "c++ 12.2");
  EXPECT_THAT(find(findings, "nvcc").text, HasSubstr("release 13.0"));
  machine_.nvcc = program("nvcc", "exit 1");
  EXPECT_EQ(find(check_compilers(machine_), "nvcc").level, Level::broken);
}

TEST_F(DoctorTest, SaysWhatReportsLackWithoutGnuplot) {
  const std::string path = std::getenv("PATH");
  const auto gnuplot = [this] { return find(check_compilers(machine_), "gnuplot"); };
  setenv("PATH", (root_.path() / "bin").c_str(), 1);
  const Finding absent = gnuplot();
  program("gnuplot", "echo gnuplot 5.4");
  setenv("PATH", ((root_.path() / "bin").string() + ":" + path).c_str(), 1);
  const Finding present = gnuplot();
  program("gnuplot", "exit 1");
  const Finding broken = gnuplot();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(absent.level, Level::absent);
  EXPECT_THAT(absent.remedy, HasSubstr("install gnuplot-nox"));
  EXPECT_EQ(present.text, "gnuplot 5.4");
  EXPECT_EQ(broken.level, Level::broken);
}

TEST_F(DoctorTest, ReadsTheRightsToCounters) {
  const auto counters = [this] { return find(check_device(machine_), "counters"); };
  EXPECT_THAT(counters().text, HasSubstr("no driver"));
  write_file_atomic(machine_.proc / "driver/nvidia/params", "X: 1\nRmProfilingAdminOnly: 1\n");
  write_file_atomic(machine_.proc / "self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
  EXPECT_EQ(counters().level, Level::absent);
  EXPECT_THAT(counters().remedy, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  write_file_atomic(machine_.proc / "self/status", "CapEff:\t0000004000000000\n");  // CAP_PERFMON
  EXPECT_EQ(counters().level, Level::ok);
  write_file_atomic(machine_.proc / "driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
  write_file_atomic(machine_.proc / "self/status", "CapEff:\t0\n");
  EXPECT_EQ(counters().text, "open to every user");
}

TEST_F(DoctorTest, AsksTheDeviceProgram) {
  EXPECT_EQ(find(check_device(machine_), "GPU").level, Level::absent);
  EXPECT_EQ(find(check_device(machine_), "GPU").text, "no GPU here");
  EXPECT_EQ(find(check_device(machine_), "CPU device").level, Level::broken);
  machine_.device_tool = program(
      "kernelloop-device", R"(echo '{"name": "H200", "architecture": "90", "driver": "580"}')");
  EXPECT_EQ(find(check_device(machine_), "GPU").text, "H200, architecture 90, driver 580");
  write_file_atomic(machine_.proc / "driver/nvidia/version", "NVRM version: 580\nGCC\n");
  EXPECT_EQ(find(check_device(machine_), "driver").text, "NVRM version: 580");
}

TEST_F(DoctorTest, KnowsTheToolchainsOfLanguages) {
  ::setenv("KERNELLOOP_TRITON_PYTHON", "/no/such/python", 1);
  const Finding triton = find(check_compilers(machine_), "Triton");
  ::unsetenv("KERNELLOOP_TRITON_PYTHON");
  EXPECT_EQ(triton.level, Level::absent);
  EXPECT_THAT(triton.text, HasSubstr("kernelloop toolchain install triton"));
}

TEST_F(DoctorTest, ShowsKeysBySourceAndEnd) {
  const std::string key = "key-" + std::string(30, 'x') + "a1b2";
  variables_["ANTHROPIC_API_KEY"] = key;
  variables_["OPENAI_API_KEY"] = "short-key";
  variables_["KERNELLOOP_OPENAI_CHAT_BASE_URL"] = "http://localhost:8080/v1?code=hidden";
  const auto findings = check_providers(machine_);
  EXPECT_THAT(find(findings, "anthropic").text, HasSubstr("key from ANTHROPIC_API_KEY (...a1b2)"));
  EXPECT_THAT(find(findings, "openai").text, HasSubstr("(...)"));
  EXPECT_EQ(find(findings, "openai-chat").text, "no key, http://localhost:8080/v1");
  const std::string all = to_text(findings) + to_json(findings).dump();
  for (const char* secret : {"xxxxx", "short", "hidden"}) EXPECT_THAT(all, Not(HasSubstr(secret)));
}

TEST_F(DoctorTest, KnowsUrlsThatNothingIsSentTo) {
  variables_["KERNELLOOP_OPENAI_CHAT_BASE_URL"] = "http://me:hidden@localhost:8080/v1";
  EXPECT_EQ(find(check_providers(machine_), "openai-chat").level, Level::broken);
  EXPECT_THAT(to_text(check_providers(machine_)), Not(HasSubstr("hidden")));
  variables_["KERNELLOOP_OPENAI_CHAT_BASE_URL"] = "http://far.example/v1";
  variables_["KERNELLOOP_OPENAI_CHAT_API_KEY"] = "key-of-some-worth-here";
  EXPECT_EQ(find(check_providers(machine_), "openai-chat").level, Level::broken);
}

TEST_F(DoctorTest, FindsWhatWouldFailAtTheFirstRequest) {
  const fs::path directory = root_.path() / "config/kernelloop";
  write_file_atomic(
      directory / "config.json",
      R"({"prices_file": "own.json", "openai_chat": {"base_url": "http://localhost:1",)"
      R"( "extra_headers": {"x-team": "$TEAM"}}})");
  write_file_atomic(directory / "own.json", "{}");
  auto findings = check_providers(machine_);
  EXPECT_EQ(find(findings, "prices").level, Level::broken);
  EXPECT_THAT(find(findings, "prices").text, HasSubstr("own.json:1:1: \"unit\" must be"));
  EXPECT_EQ(find(findings, "openai-chat").level, Level::broken);
  EXPECT_THAT(find(findings, "openai-chat").text,
              HasSubstr("the variable TEAM of header x-team is not set"));
  variables_["TEAM"] = "gpu";
  write_file_atomic(directory / "own.json", R"({"unit": "USD per million tokens", "prices": []})");
  findings = check_providers(machine_);
  EXPECT_EQ(find(findings, "openai-chat").level, Level::ok);
  EXPECT_EQ(find(findings, "prices").text, "no such topic");
}

TEST_F(DoctorTest, BooksTheRequestThatItMakes) {
  ::setenv("XDG_CONFIG_HOME", variables_["XDG_CONFIG_HOME"].c_str(), 1);
  ::setenv("KERNELLOOP_COMMAND", R"(["sh", "-c", "cat >/dev/null; echo Yes."])", 1);
  const Finding finding = ask_once("command", "my-model", root_.path());
  EXPECT_EQ(finding.level, Level::ok) << finding.text;
  EXPECT_EQ(finding.text, "my-model answered (how many tokens, it does not say)");
  const auto entries = Ledger(root_.path()).entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].op, "doctor");
  EXPECT_TRUE(entries[0].done);
  ::unsetenv("KERNELLOOP_COMMAND");
  ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(DoctorTest, SaysHowToSetUpAProvider) {
  const auto findings = check_providers(machine_);
  EXPECT_EQ(find(findings, "anthropic").remedy, "set ANTHROPIC_API_KEY to use it");
  EXPECT_EQ(find(findings, "command").level, Level::absent);
  EXPECT_EQ(worst(findings), Level::absent);
  variables_["KERNELLOOP_COMMAND"] = R"(["no-such-agent-anywhere"])";
  EXPECT_EQ(find(check_providers(machine_), "command").text,
            "no-such-agent-anywhere of KERNELLOOP_COMMAND is not in PATH");
  write_file_atomic(root_.path() / "config/kernelloop/config.json", "{ broken");
  EXPECT_EQ(find(check_providers(machine_), "configuration").level, Level::broken);
}

TEST_F(DoctorTest, OnlyProvidersCanBeAsked) {
  try {
    ask_once("replay", "", "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("'replay' is no provider that can be asked"));
  }
}

}  // namespace
}  // namespace kernelloop
