// Whose fault a failed nvcc is, told with programs that fail as nvcc does.
#include "compile/nvcc.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

class Nvcc : public testing::Test {
 protected:
  // A program that runs these shell commands in place of nvcc.
  NvccJob job(const std::string& commands) {
    NvccJob result;
    result.nvcc = directory_.path() / "nvcc";
    write_file_atomic(result.nvcc, "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(result.nvcc, std::filesystem::perms::owner_all);
    result.source = directory_.path() / "kernel.cu";
    result.architecture = "90a";
    result.work_dir = directory_.path() / "work";
    std::filesystem::create_directories(result.work_dir);
    return result;
  }

  static Error error_of(const NvccJob& job) {
    try {
      run_nvcc(job);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {ExitCode::ok, ""};
  }

  TemporaryDirectory directory_;
};

constexpr const char* k_rejects = "echo \"kernel.cu(3): error: bad\" >&2; exit 1";

TEST_F(Nvcc, HandsOverWhatItMade) {
  const NvccRun run = run_nvcc(
      job("echo cubin > out.cubin; echo ptx > kernel.ptx; echo note >&2\n"
          "mkdir t own && touch t/cuda_runtime.h t/x.h own/c.h own/system.h 'own/a \"b.h'\n"
          "marker() { printf '# 1 \"%s\"%s\\n' \"$PWD/$1\" \"$2\" >> kernel.cpp1.ii; }\n"
          "marker ../kernel.cu ''; marker ../kernel.cu ' 1'; marker t/cuda_runtime.h ' 1'\n"
          "marker t/x.h ' 1 3 4'; marker t/x.h ' 1'; marker own/system.h ' 1 3'\n"
          "marker own/c.h ' 1'; marker own/c.h ' 2'; marker 'own/a \\\"b.h' ' 1'\n"
          "marker own/gone.h ' 1'; echo '# 7 \"not' >> kernel.cpp1.ii"));
  EXPECT_EQ(run.outcome, NvccRun::Outcome::accepted);
  EXPECT_EQ(run.messages, "note\n");
  EXPECT_EQ(read_file(run.cubin), "cubin\n");
  EXPECT_EQ(read_file(run.ptx), "ptx\n");
  const std::filesystem::path own = run.cubin.parent_path() / "own";
  EXPECT_THAT(run.dependencies, testing::ElementsAre(own / "a \"b.h", own / "c.h"));
}

TEST_F(Nvcc, PassesOptionsAndKeepsSecrets) {
  NvccJob with_options = job("echo \"$@ $MY_API_KEY|$TMPDIR\" >&2; exit 1");
  with_options.options = {"-DX=1"};
  ::setenv("MY_API_KEY", "hidden", 1);
  const std::string message = error_of(with_options).what();
  EXPECT_THAT(message, HasSubstr("-gencode=arch=compute_90a,code=sm_90a"));
  EXPECT_THAT(message, HasSubstr("-DX=1"));
  EXPECT_THAT(message, HasSubstr("|" + with_options.work_dir.string()));
  EXPECT_THAT(message, testing::Not(HasSubstr("hidden")));
}

TEST_F(Nvcc, TakesErrorsInTheSourceForTheVersionsFault) {
  EXPECT_EQ(run_nvcc(job(k_rejects)).outcome, NvccRun::Outcome::rejected);
  EXPECT_EQ(
      run_nvcc(job("echo 'ptxas fatal   : Unresolved extern function' >&2; exit 255")).outcome,
      NvccRun::Outcome::rejected);
  // What the source can make the compiler print does not make it the machine's fault.
  EXPECT_EQ(run_nvcc(job("echo 'kernel.cu:3:2: error: #error No space left on device' >&2; exit 1"))
                .outcome,
            NvccRun::Outcome::rejected);
}

TEST_F(Nvcc, TakesACrashForTheVersionsFault) {
  const NvccRun run =
      run_nvcc(job("echo \"nvcc error   : 'cicc' died due to signal 11\" >&2; exit 11"));
  EXPECT_EQ(run.outcome, NvccRun::Outcome::crashed);
  EXPECT_THAT(run.crash, HasSubstr("'cicc' died due to signal 11"));
  EXPECT_EQ(run_nvcc(job("kill -SEGV $$")).outcome, NvccRun::Outcome::crashed);
}

TEST_F(Nvcc, KnowsSignalsByTheExitCode) {
  const NvccRun run = run_nvcc(job("echo 'Segmentation fault' >&2; exit 139"));
  EXPECT_EQ(run.outcome, NvccRun::Outcome::crashed);
  EXPECT_THAT(run.crash, HasSubstr("ended by signal 11 (Segmentation fault)"));
  EXPECT_THAT(run_nvcc(job("echo Killed >&2; exit 137")).crash, HasSubstr("out of memory"));
  EXPECT_EQ(run_nvcc(job("echo 'CPU time limit exceeded' >&2; exit 152")).outcome,
            NvccRun::Outcome::timed_out);
  EXPECT_EQ(error_of(job("exit 143")).code(), ExitCode::environment);
}

TEST_F(Nvcc, TriesAgainWhenKilled) {
  const std::string killed_once =
      "test -e tried || { touch tried; echo \"nvcc error : 'cicc' died due to signal 9\" >&2; exit "
      "9; }\n";
  EXPECT_EQ(run_nvcc(job(killed_once + k_rejects)).outcome, NvccRun::Outcome::rejected);
  const NvccRun run = run_nvcc(job("kill -KILL $$"));
  EXPECT_EQ(run.outcome, NvccRun::Outcome::crashed);
  EXPECT_THAT(run.crash, HasSubstr("out of memory, most likely"));
}

TEST_F(Nvcc, TimesOut) {
  NvccJob slow = job("sleep 60");
  slow.timeout = std::chrono::milliseconds(50);  // half a second on the wall
  EXPECT_EQ(run_nvcc(slow).outcome, NvccRun::Outcome::timed_out);
  NvccJob busy = job("while :; do :; done");
  busy.timeout = std::chrono::seconds(1);
  EXPECT_EQ(run_nvcc(busy).outcome, NvccRun::Outcome::timed_out);
  EXPECT_EQ(
      run_nvcc(job("echo \"nvcc error : 'cicc' died due to signal 24\" >&2; exit 24")).outcome,
      NvccRun::Outcome::timed_out);
}

TEST_F(Nvcc, LooksBehindAFloodOfWarnings) {
  NvccJob flood =
      job("case \"$*\" in *'-w -Xcompiler -w'*) ;; *) yes 'kernel.cu:1:2: warning: #warning x' | "
          "head -n 5000 >&2;; esac\n" +
          std::string(k_rejects));
  flood.output_limit = 10000;
  const NvccRun run = run_nvcc(flood);
  EXPECT_EQ(run.outcome, NvccRun::Outcome::rejected);
  EXPECT_EQ(run.messages, "kernel.cu(3): error: bad\n");
}

TEST_F(Nvcc, TellsThatTheDiskIsFull) {
  const Error error = error_of(
      job("echo '<built-in>: fatal error: when writing output to x: No space left on device' >&2; "
          "exit 1"));
  EXPECT_EQ(error.code(), ExitCode::io);
  EXPECT_THAT(error.what(), HasSubstr("make room there, or set TMPDIR"));
  EXPECT_EQ(error_of(job("echo '<built-in>: fatal error: when writing output to ./k.ii: Invalid "
                         "argument' >&2; exit 1"))
                .code(),
            ExitCode::io);
}

TEST_F(Nvcc, TellsThatOptionsAreWrong) {
  NvccJob wrong = job("echo \"nvcc fatal   : Unknown option '--frob'\" >&2; exit 1");
  wrong.options = {"--frob"};
  EXPECT_EQ(error_of(wrong).code(), ExitCode::bad_input);
  EXPECT_THAT(error_of(wrong).what(), HasSubstr("compile options are [--frob]"));
  EXPECT_EQ(error_of(job("echo \"ptxas fatal   : Unknown option '-x'\" >&2; exit 255")).code(),
            ExitCode::bad_input);
  EXPECT_EQ(
      error_of(job("echo \"nvcc fatal   : Unsupported gpu architecture 'compute_1'\" >&2; exit 1"))
          .code(),
      ExitCode::bad_input);
}

TEST_F(Nvcc, TellsThatItIsBroken) {
  const Error host = error_of(
      job("echo 'gcc: No such file or directory' >&2\n"
          "echo 'nvcc fatal   : Failed to preprocess host compiler properties.' >&2; exit 1"));
  EXPECT_EQ(host.code(), ExitCode::environment);
  EXPECT_THAT(host.what(), HasSubstr("gcc: No such file or directory"));
  EXPECT_EQ(error_of(job("exit 3")).code(), ExitCode::environment);
  EXPECT_EQ(error_of(job("kill -TERM $$")).code(), ExitCode::environment);
  EXPECT_THAT(error_of(job("exit 0")).what(), HasSubstr("wrote no cubin and PTX"));
  NvccJob missing = job("");
  missing.nvcc = directory_.path() / "absent";
  EXPECT_EQ(error_of(missing).code(), ExitCode::environment);
}

TEST_F(Nvcc, ReadsItsVersion) {
  const NvccJob good = job("echo 'Cuda compilation tools, release 13.0, V13.0.88'; echo Build x");
  EXPECT_EQ(nvcc_version(good.nvcc), "nvcc 13.0.88");
  const NvccJob other = job("echo gcc 12");
  EXPECT_THROW(nvcc_version(other.nvcc), Error);
}

TEST(Architecture, TakesTheFormsInUse) {
  EXPECT_EQ(normal_architecture("90a"), "90a");
  EXPECT_EQ(normal_architecture("sm_90a"), "90a");
  EXPECT_EQ(normal_architecture("compute_100f"), "100f");
  EXPECT_EQ(normal_architecture("80-real"), "80");
  for (const char* wrong : {"", "native", "9", "90b", "90a -x", "9000", "sm_"}) {
    try {
      normal_architecture(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("is no GPU architecture"));
    }
  }
}

}  // namespace
}  // namespace kernelloop
