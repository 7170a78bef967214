#include "support/confined_compiler.hpp"

#include "support/files.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

// The compiler is the C++ compiler of the system.
class ConfinedCompiler : public testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
    std::filesystem::create_directory(work());
    std::filesystem::create_directory(source_folder());
    write_file_atomic(directory_.path() / "secret", "the secret words");
  }
  void TearDown() override { ::unsetenv("KERNELLOOP_SANDBOX"); }

  std::filesystem::path work() const { return directory_.path() / "work"; }
  std::filesystem::path source_folder() const { return directory_.path() / "source"; }
  std::string secret() const { return (directory_.path() / "secret").string(); }

  ProcessResult compile(const std::string& text, const std::vector<std::string>& options = {}) {
    write_file_atomic(source_folder() / "kernel.cpp", text);
    Command command;
    command.arguments = {"c++", "-c", "-o", "out.o"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.push_back((source_folder() / "kernel.cpp").string());
    command.directory = work();
    CompilerFiles files;
    files.readable = {source_folder()};
    files.writable = work();
    return run_compiler(command, files);
  }

  TemporaryDirectory directory_;
};

TEST_F(ConfinedCompiler, CompilesWhatItIsGiven) {
  write_file_atomic(source_folder() / "beside.hpp", "inline int two() { return 2; }\n");
  const ProcessResult result =
      compile("#include \"beside.hpp\"\n#include <cmath>\nint f() { return two(); }\n");
  EXPECT_TRUE(result.succeeded()) << result.error_output;
  EXPECT_TRUE(std::filesystem::exists(work() / "out.o"));
}

TEST_F(ConfinedCompiler, SeesFoldersThatItsOptionsName) {
  std::filesystem::create_directory(directory_.path() / "library");
  write_file_atomic(directory_.path() / "library" / "used.hpp", "inline int one() { return 1; }\n");
  const std::string source = "#include <used.hpp>\nint f() { return one(); }\n";
  const std::string folder = (directory_.path() / "library").string();
  EXPECT_FALSE(compile(source).succeeded());
  EXPECT_TRUE(compile(source, {"-I" + folder}).succeeded());
  EXPECT_TRUE(compile(source, {"-isystem", folder}).succeeded());
}

TEST_F(ConfinedCompiler, ShowsNoFileInItsMessages) {
  const ProcessResult included = compile("#include \"" + secret() + "\"\n");
  EXPECT_FALSE(included.succeeded());
  EXPECT_THAT(included.error_output, HasSubstr("No such file or directory"));
  EXPECT_THAT(included.error_output, Not(HasSubstr("the secret words")));
  const ProcessResult climbed = compile("#include \"../secret\"\n");
  EXPECT_THAT(climbed.error_output, Not(HasSubstr("the secret words")));
  const ProcessResult embedded = compile("asm(\".incbin \\\"" + secret() + "\\\"\");\n");
  EXPECT_FALSE(embedded.succeeded());
  // The attempt is no dud: without the sandbox the words are in the message.
  ::setenv("KERNELLOOP_SANDBOX", "off", 1);
  EXPECT_THAT(compile("#include \"" + secret() + "\"\n").error_output, HasSubstr("the secret"));
}

TEST_F(ConfinedCompiler, ALinkBesideTheSourceLeadsNowhere) {
  std::filesystem::create_symlink(secret(), source_folder() / "link.hpp");
  const ProcessResult result = compile("#include \"link.hpp\"\n");
  EXPECT_FALSE(result.succeeded());
  EXPECT_THAT(result.error_output, Not(HasSubstr("the secret words")));
}

TEST_F(ConfinedCompiler, GetsNoVariablesButItsOwn) {
  Command command;
  command.arguments = {"env"};
  command.variables = {{"LC_ALL", "C"}};
  ::setenv("HARMLESS_NAME", "secret", 1);
  const ProcessResult result = run_compiler(command, {{}, work()});
  ::unsetenv("HARMLESS_NAME");
  EXPECT_THAT(result.output, HasSubstr("LC_ALL=C\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("HARMLESS_NAME")));
}

TEST_F(ConfinedCompiler, OneThatNeverEndsIsEnded) {
  Command command;
  command.arguments = {"sh", "-c", "sleep 1000 & sleep 1000"};
  command.timeout = std::chrono::milliseconds(300);
  EXPECT_TRUE(run_compiler(command, {{}, work()}).timed_out);
}

TEST_F(ConfinedCompiler, TheEvidenceSaysThatItIsConfinedOrWhatIsOpen) {
  EXPECT_THAT(compiler_confinement(), HasSubstr("bubblewrap (no network, no other processes"));
  ::setenv("KERNELLOOP_SANDBOX", "off", 1);
  EXPECT_EQ(compiler_confinement(),
            "no bubblewrap (KERNELLOOP_SANDBOX is off): files, network and other processes within "
            "reach");
}

}  // namespace
}  // namespace kernelloop
