// What the source of a version may try while it is compiled.
#include "support/files.hpp"

#include <gmock/gmock.h>

#include "adapter_fixture.hpp"

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::HasSubstr;

TEST_F(Adapters, SourcesReadAndWriteNothingBeside) {
  write_file_atomic(directory_.path() / "secret", "secret");
  EXPECT_THAT(complaint("open('" + (directory_.path() / "secret").string() + "')\n"),
              HasSubstr("FileNotFoundError"));
  EXPECT_THAT(complaint("open('" + job_.source.string() + "', 'w')\n"), HasSubstr("OSError"));
  compile("import os\nopen('/tmp/kernelloop_adapter_test', 'w').write('x')\ndef f(l): return ''\n");
  EXPECT_FALSE(std::filesystem::exists("/tmp/kernelloop_adapter_test"));
}

TEST_F(Adapters, SourcesHaveNoNetworkAndNoKeys) {
  EXPECT_THAT(complaint("import socket\nsocket.create_connection(('192.0.2.1', 80), 5)\n"),
              HasSubstr("Network is unreachable"));
  ::setenv("ANTHROPIC_API_KEY", "sk-test-of-the-adapters", 1);
  const std::string text = complaint("import os\nraise Exception(repr(dict(os.environ)))\n");
  ::unsetenv("ANTHROPIC_API_KEY");
  EXPECT_THAT(text, HasSubstr("'HOME'"));
  EXPECT_THAT(text, testing::Not(HasSubstr("sk-test")));
}

TEST_F(Adapters, ASourceWithoutEndTimesOut) {
  job_.timeout = std::chrono::milliseconds(1000);
  EXPECT_EQ(compile("while True: pass\n").outcome, AdapterRun::Outcome::timed_out);
  job_.timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(compile("import time\ntime.sleep(1000)\n").outcome, AdapterRun::Outcome::timed_out);
}

TEST_F(Adapters, ASourceThatDiesOrForgesIsACrash) {
  AdapterRun run = compile("import os\nos._exit(3)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_EQ(run.crash, "exit code 3");
  run = compile("import os\nos.kill(os.getpid(), 11)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  run = compile("import os\nopen('result.json', 'w').write('{}')\nos._exit(0)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_THAT(run.crash, HasSubstr("its result makes no sense"));
  run = compile("x = bytearray(40 << 30)\n");
  EXPECT_NE(run.outcome, AdapterRun::Outcome::built);
}

TEST_F(Adapters, DumpsAreFilesOfTheirFolder) {
  write_file_atomic(directory_.path() / "secret", "secret");
  const AdapterRun run = compile(
      "import json, os\nos.symlink('/usr/bin/env', 'link')\n"
      "open('ir', 'w').write('x')\n"
      "launch = {'kernel': 'f', 'block': [1, 1, 1], 'dynamic_shared_bytes': 0, 'cluster': None,\n"
      "          'cooperative': False, 'programmatic_dependent': False, 'hidden': [],\n"
      "          'grid': None, 'arguments': None}\n"
      "json.dump({'status': 'built', 'toolchain': '', 'ptx': '', 'problems': [],\n"
      "  'launches': [launch] * 3, 'files': ['link', '../secret', 'ir']}, open('result.json', "
      "'w'))\n"
      "os._exit(0)\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  EXPECT_THAT(run.dumps, testing::ElementsAre(job_.work_dir / "adapter" / "ir"));
}

TEST_F(Adapters, NothingThatASourceLeavesIsFollowed) {
  write_file_atomic(directory_.path() / "secret", "\"sk-test-of-the-adapters\" 1");
  const std::string secret = (directory_.path() / "secret").string();
  AdapterRun run = compile("import os\nos.symlink('" + secret + "', 'result.json')\nos._exit(0)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_EQ(run.crash, "exit code 0");
  // What is made of the result lies where the source cannot have put anything.
  run = compile("import os\nos.symlink('" + secret +
                "', 'kernel.ptx')\nos.mkdir('out.cubin')\n"
                "try:\n    open('../kernel.ptx', 'w').write('forged')\nexcept OSError: pass\n"
                "def f(launch): return ''\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  EXPECT_EQ(run.ptx, job_.work_dir / "kernel.ptx");
  EXPECT_THAT(read_file(run.ptx), HasSubstr(".entry f_0("));
  EXPECT_FALSE(std::filesystem::exists(job_.work_dir / "out.cubin"));
}

TEST_F(Adapters, WhatASourceSaysIsCutAndObeyedByNoTerminal) {
  EXPECT_EQ(complaint("raise Exception('a\\x1b[2J\\x00\\x9b\\tb')\n"), "Exception: a?[2J??\tb");
  EXPECT_THAT(
      complaint("raise Exception('x' * 100000000)\n"),
      testing::AllOf(testing::StartsWith("Exception: xx"), testing::SizeIs(testing::Le(2100u))));
  EXPECT_EQ(complaint("raise Exception('\\ud800')\n"), "Exception: \\ud800");
  EXPECT_EQ(complaint("class E(Exception):\n    def __str__(self): raise self\nraise E()\n"),
            "E: no message that could be read");
  EXPECT_THAT(complaint("def f(launch): return f(launch)\n"), HasSubstr("RecursionError"));
  const AdapterRun run = compile("import os\nos.write(2, b'x' * 7000000)\nos._exit(3)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_THAT(run.crash, testing::AllOf(testing::StartsWith("exit code 3: xx"),
                                        testing::SizeIs(testing::Le(2100u))));
}

TEST_F(Adapters, ManyProcessesAreEnded) {
  const AdapterRun run = compile(
      "import os, time\n"
      "for i in range(200):\n"
      "    if os.fork() == 0:\n"
      "        os.setsid()\n"
      "        time.sleep(1000)\n"
      "time.sleep(1000)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_EQ(run.crash, "killed for more than 64 processes at once");
}

TEST_F(Adapters, ManyThreadsAreEnded) {
  const AdapterRun run = compile(
      "import threading, time\n"
      "threading.stack_size(32768)\n"
      "while True:\n"
      "    try: threading.Thread(target=time.sleep, args=(1000,)).start()\n"
      "    except RuntimeError: time.sleep(0.01)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_EQ(run.crash, "killed for more than 4096 threads at once");
}

TEST_F(Adapters, AnEmptySourceIsRefusedWithAReason) {
  EXPECT_EQ(complaint(""), "there is no kernel f");
}

TEST_F(Adapters, ALargeSourceIsJudgedAsAnyOther) {
  std::string text = "def f(launch): return ''\n";
  while (text.size() < 1'000'000) text += "# a comment that says nothing at all, again and again\n";
  EXPECT_EQ(compile(text).outcome, AdapterRun::Outcome::built);
}

TEST_F(Adapters, OutputIsNoAnswer) {
  const AdapterRun run = compile(
      "print('{\"status\": \"rejected\", \"problems\": []}')\n"
      "for i in range(20000): print('x' * 1000)\n"
      "def f(launch): return ''\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
}

TEST_F(Adapters, SharedModulesMayBeChangedToNoAvail) {
  EXPECT_THAT(complaint("import json\njson.dumps = None\ndef f(launch): return ''\n"),
              HasSubstr("TypeError"));
  AdapterRun run = compile("import json\njson.dump = None\ndef f(launch): return ''\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  run = compile("import protocol\nraise protocol.Rejected('no', 'line')\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  // Which packages compiled it is what the build found, whatever a result says.
  EXPECT_EQ(Toolchain().text(language_), "Fake");
}

// Results that a source may write in place of its adapter.
class ForgedResults : public Adapters {
 protected:
  AdapterRun forge(const std::string& launch, const std::string& more = "",
                   const std::string& code = "") {
    return compile(
        "import json, os\n" + code +
        "launch = {'kernel': 'f', 'block': [1, 1, 1], 'dynamic_shared_bytes': 0,\n"
        "  'cluster': None, 'cooperative': False, 'programmatic_dependent': False,\n"
        "  'hidden': [], 'grid': None, 'arguments': None}\n"
        "launch.update({" +
        launch +
        "})\n"
        "result = {'status': 'built', 'ptx': '', 'problems': [], 'launches': [launch] * 3,\n"
        "  'files': []}\n"
        "result.update({" +
        more +
        "})\n"
        "json.dump(result, open('result.json', 'w'))\nos._exit(0)\n");
  }
  std::string nonsense(const std::string& launch) {
    const AdapterRun run = forge(launch);
    EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed) << launch;
    return run.crash;
  }
};

TEST_F(ForgedResults, MustBePlansThatADeviceTakes) {
  ASSERT_EQ(forge("").outcome, AdapterRun::Outcome::built);
  EXPECT_THAT(nonsense("'grid': ['zz', '1', '1']"), HasSubstr("`zz`"));
  EXPECT_THAT(nonsense("'grid': ['n +', '1', '1']"), HasSubstr("found the end"));
  EXPECT_THAT(nonsense("'grid': ['(' * 100000, '1', '1']"), HasSubstr("longer than 4096"));
  EXPECT_THAT(nonsense("'arguments': ['y', {'workspace_offset': '0'}]"),
              HasSubstr("workspace_bytes"));
  EXPECT_THAT(nonsense("'block': 'abc'"), HasSubstr("its result makes no sense"));
  EXPECT_THAT(nonsense("'hidden': [{'scratch_bytes': 4, 'alignment': 0}]"),
              HasSubstr("4 bytes of scratch memory at multiples of 0"));
  EXPECT_THAT(nonsense("'hidden': [{'scratch_bytes': -4, 'alignment': 4}]"),
              HasSubstr("-4 bytes of scratch memory"));
}

TEST_F(ForgedResults, ARefusalIsNeverWithoutReasonAndNeverLong) {
  AdapterRun run = forge("", "'status': 'rejected'");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::rejected) << run.crash;
  ASSERT_EQ(run.problems.size(), 1u);
  EXPECT_EQ(run.problems.front().message, "it is refused without a reason");
  run = forge("", "'status': '', 'problems': [{'message': 'x' * 9999, 'line': -7}] * 1000");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::rejected) << run.crash;
  ASSERT_EQ(run.problems.size(), 50u);
  EXPECT_EQ(run.problems.front().line, 0u);
  EXPECT_LE(run.problems.front().message.size(), 2100u);
}

TEST_F(ForgedResults, AreNotFollowedIntoDepths) {
  const AdapterRun run =
      compile("import os\nopen('result.json', 'w').write('[' * 1000000)\nos._exit(0)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_THAT(run.crash, HasSubstr("nested deeper than 128 levels"));
}

TEST_F(ForgedResults, NameDumpsThatCanBeKept) {
  const AdapterRun run =
      forge("", "'files': ['a' * 250, '', '.', 'b/../c', 'c', 'd\\n', 'launch.ir'] + ['c'] * 1000",
            "for name in ('a' * 250, 'c', 'd\\n', 'launch.ir'): open(name, 'w').write('x')\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  ASSERT_EQ(run.dumps.size(), 256u);
  EXPECT_EQ(run.dumps[0].filename(), "c");
  EXPECT_EQ(run.dumps[1].filename(), "launch.ir");
}

}  // namespace
}  // namespace kernelloop
