#include "languages/toolchain.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::HasSubstr;

// A language whose compiler is a package of pip's own, which every environment has or has not.
Language of_package(const std::string& requirement) {
  Language language;
  language.name = "FAKE";
  language.title = "Fake";
  language.requirements = {requirement};
  return language;
}

class Toolchains : public testing::Test {
 protected:
  Toolchains() { ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1); }
  ~Toolchains() override {
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON");
  }

  static std::string complaint(const Language& language) {
    try {
      find_toolchain(language);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      return error.what();
    }
    return "none";
  }

  TemporaryDirectory cache_;
};

TEST_F(Toolchains, AreSharedByLanguagesOfOneCompiler) {
  EXPECT_EQ(toolchain_folder(language_named("TRITON")), toolchain_folder(language_named("GLUON")));
  EXPECT_EQ(toolchain_name(language_named("GLUON")), "triton");
  EXPECT_NE(toolchain_folder(of_package("triton==3.5.0")),
            toolchain_folder(of_package("triton==3.6.0")));
  EXPECT_EQ(toolchain_folder(of_package("a[cu13]==1")).parent_path(),
            cache_.path() / "kernelloop" / "toolchains");
  EXPECT_EQ(toolchain_name(of_package("a[cu13]==1")), "a");
}

TEST_F(Toolchains, ThatAreMissingSayHowToGetThem) {
  const std::string text = complaint(of_package("no-such-package==1.2"));
  EXPECT_THAT(text, HasSubstr("the toolchain of Fake is not installed"));
  EXPECT_THAT(text, HasSubstr("run `kernelloop toolchain install fake`"));
  EXPECT_THAT(text,
              HasSubstr("that has no-such-package==1.2 in KERNELLOOP_NO_SUCH_PACKAGE_PYTHON"));
}

TEST_F(Toolchains, ThatAreNamedMustHaveWhatTheLanguageNeeds) {
  ::setenv("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON", "/no/python", 1);
  EXPECT_THAT(
      complaint(of_package("no-such-package==1.2")),
      HasSubstr("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON names /no/python, which does not exist"));
  ::setenv("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON", "/usr", 1);
  EXPECT_THAT(complaint(of_package("no-such-package==1.2")),
              HasSubstr("names /usr, which is a folder; name the Python in it, as bin/python"));
  ::setenv("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON", "/bin/echo", 1);
  EXPECT_THAT(complaint(of_package("no-such-package==1.2")),
              HasSubstr("/bin/echo is no Python: it printed `-I -c"));
  ::setenv("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON", "/usr/bin/python3", 1);
  EXPECT_THAT(
      complaint(of_package("no-such-package==1.2")),
      HasSubstr("/usr/bin/python3 has no no-such-package in place of no-such-package==1.2"));
  ::setenv("KERNELLOOP_NO_SUCH_PACKAGE_PYTHON", "/bin/false", 1);
  EXPECT_THAT(complaint(of_package("no-such-package==1.2")),
              HasSubstr("/bin/false of the toolchain"));
}

TEST_F(Toolchains, OfferTheSourcesThatAreInstalled) {
  const TemporaryDirectory directory;
  const std::filesystem::path packages = directory.path() / "lib/python3.99/site-packages";
  std::filesystem::create_directories(packages / "triton/language");
  std::filesystem::create_directories(directory.path() / "include/crt");
  const std::string python = (directory.path() / "bin/python").string();
  ::setenv("KERNELLOOP_TRITON_PYTHON", python.c_str(), 1);
  EXPECT_THAT(language_sources(language_named("TRITON"), {}),
              testing::ElementsAre(packages / "triton/language"));
  ::setenv("KERNELLOOP_TRITON_PYTHON", "/nowhere/bin/python", 1);
  EXPECT_THAT(language_sources(language_named("TRITON"), {}), testing::IsEmpty());
  ::unsetenv("KERNELLOOP_TRITON_PYTHON");
  EXPECT_THAT(language_sources(cuda_language(), directory.path() / "bin/nvcc"),
              testing::ElementsAre(directory.path() / "include/crt"));
  EXPECT_THAT(language_sources(cuda_language(), {}), testing::IsEmpty());
}

TEST_F(Toolchains, MayHaveAnAssemblerForEachGeneration) {
  Toolchain toolchain;
  EXPECT_EQ(toolchain.ptxas_for("90a"), "");
  toolchain.ptxas = {{80, "old"}, {100, "new"}};
  EXPECT_EQ(toolchain.ptxas_for("75"), "");
  EXPECT_EQ(toolchain.ptxas_for("80"), "old");
  EXPECT_EQ(toolchain.ptxas_for("90a"), "old");
  EXPECT_EQ(toolchain.ptxas_for("100a"), "new");
  EXPECT_EQ(toolchain.ptxas_for("120"), "new");
  const Language& triton = language_named("TRITON");
  EXPECT_THAT(triton.ptxas.at(0), testing::EndsWith("/ptxas"));
  EXPECT_THAT(triton.ptxas.at(100), testing::EndsWith("/ptxas-blackwell"));
  EXPECT_EQ(language_named("CUTILE").ptxas.size(), 1u);
}

TEST_F(Toolchains, WithoutRequirementsArePlainPython) {
  Language language = of_package("");
  language.requirements.clear();
  ::setenv("KERNELLOOP_FAKE_PYTHON", "/usr/bin/python3", 1);
  const Toolchain toolchain = find_toolchain(language);
  ::unsetenv("KERNELLOOP_FAKE_PYTHON");
  EXPECT_EQ(toolchain.python, "/usr/bin/python3");
  EXPECT_TRUE(toolchain.versions.empty());
  EXPECT_FALSE(toolchain.readable.empty());
}

}  // namespace
}  // namespace kernelloop
