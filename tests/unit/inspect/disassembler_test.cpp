#include "inspect/disassembler.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

#include <cstdlib>
#include <stdexcept>

namespace kernelloop {
namespace {

using testing::HasSubstr;

// A machine whose only tools are those in one directory.
class Tools : public testing::Test {
 protected:
  Tools() {
    for (const char* name : {"PATH", "CUDA_HOME", "CUDA_PATH"}) {
      const char* value = std::getenv(name);
      old_[name] = value == nullptr ? "" : value;
    }
    ::setenv("PATH", (directory_.path().string() + ":/usr/bin:/bin").c_str(), 1);
    ::setenv("CUDA_HOME", "/nowhere", 1);
  }
  ~Tools() override {
    for (const auto& [name, value] : old_) {
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
    }
  }

  TemporaryDirectory directory_;

 private:
  std::map<std::string, std::string> old_;
};

TEST_F(Tools, PrefersNvdisasm) {
  playing_tool(directory_.path(), "cuobjdump", "loops.cuobjdump.txt");
  Disassembler found = find_disassembler({});
  if (found.program.parent_path() == directory_.path()) {
    EXPECT_EQ(found.kind, Disassembler::Kind::cuobjdump);
  }
  playing_tool(directory_.path(), "nvdisasm", "loops.nvdisasm.txt");
  found = find_disassembler({});
  EXPECT_EQ(found.kind, Disassembler::Kind::nvdisasm);
  EXPECT_EQ(version_of(found), "nvdisasm 13.0.85");
  EXPECT_THAT(disassemble(found, "/any.cubin"), HasSubstr("LDG.E R5"));
}

TEST_F(Tools, LooksBesideNvccFirst) {
  const TemporaryDirectory toolkit;
  playing_tool(directory_.path(), "nvdisasm", "loops.nvdisasm.txt");
  const auto beside = playing_tool(toolkit.path(), "nvdisasm", "loops.nvdisasm.txt");
  EXPECT_EQ(find_disassembler(toolkit.path() / "nvcc").program, beside);
}

TEST_F(Tools, NamesWhatIsMissing) {
  try {
    disassemble(Disassembler{}, "/v/kernel.cubin");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("neither nvdisasm nor cuobjdump"));
    EXPECT_THAT(error.what(), HasSubstr("/v/kernel.cubin"));
  }
}

// How disassembling ends where nvdisasm is this script.
Error end_with(const std::filesystem::path& nvdisasm, const std::string& script) {
  write_file_atomic(nvdisasm, "#!/bin/sh\n" + script);
  std::filesystem::permissions(nvdisasm, std::filesystem::perms::owner_all);
  try {
    disassemble({Disassembler::Kind::nvdisasm, nvdisasm}, "/v/kernel.cubin");
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("it did not fail");
}

TEST_F(Tools, SaysWhenAToolFails) {
  const Error error =
      end_with(directory_.path() / "nvdisasm", "echo 'nvdisasm fatal : bad file' >&2\nexit 1\n");
  EXPECT_THAT(error.what(), HasSubstr("nvdisasm fatal : bad file"));
}

TEST_F(Tools, RefusesAListingThatIsTooLongToKeep) {
  const Error error = end_with(directory_.path() / "nvdisasm", "head -c 67200000 /dev/zero\n");
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("prints more than 64 MiB for /v/kernel.cubin: too long"));
}

}  // namespace
}  // namespace kernelloop
