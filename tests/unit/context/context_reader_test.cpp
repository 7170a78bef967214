#include "context/context_reader.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ContextReaderTest : public testing::Test {
 protected:
  ContextReaderTest() {
    config_.op = "scale";
    config_.build_dir = root_.path() / "build/kernelloop/scale";
    config_.generated_dir = root_.path() / "generated";
    config_.context = {(root_.path() / "src").string()};
    config_.notes_dir = root_.path() / "notes";
    config_.versions = 9;
    put("notes/sm_90a.md", "# Shared memory\n227 KiB a block.\n");
    std::string source;
    for (int i = 1; i <= 500; ++i) source += fmt::format("int line_{} = {};\n", i, i);
    put("src/deep/long.h", source);
    put("src/short.cu", "// wgmma {\nvoid f();\n");
    for (int version = 1; version <= 3; ++version) {
      write_file_atomic(config_.version_dir(version) / "kernel.cu",
                        fmt::format("kernel of {}\n", version));
      write_file_atomic(
          config_.step_dir(version) / "verify.json",
          fmt::format("{{\"source\": \"{}\"}}\n", config_.step_dir(version).string()));
    }
    write_file_atomic(config_.step_dir(2) / "kernel.ptx", ".visible .entry scale\n");
    write_file_atomic(config_.step_dir(2) / "kernel.cpu.so", "not for reading");
  }
  void put(const std::string& name, const std::string& text) const {
    write_file_atomic(root_.path() / name, text);
  }
  [[nodiscard]] ContextReader reader(int before = 3) const { return {config_, before}; }

  TemporaryDirectory root_;
  OpConfig config_;
};

TEST_F(ContextReaderTest, ASearchShowsPlacesWithTheirLines) {
  const Reading found = reader().search("line_123");
  EXPECT_FALSE(found.failed);
  EXPECT_THAT(found.text, HasSubstr("src/deep/long.h:"));
  EXPECT_THAT(found.text, HasSubstr("  123 | int line_123 = 123;\n"));
  EXPECT_THAT(reader().search("shared memory").text,
              HasSubstr("notes/sm_90a.md:1  (Shared memory)\n"));
  EXPECT_THAT(reader().search("wgmma 227").text, StartsWith("No place holds all these words"));
}

TEST_F(ContextReaderTest, AnEmptySearchSaysSo) {
  EXPECT_TRUE(reader().search("***").failed);
  EXPECT_EQ(reader().search("***").text, "the query has no word to look for");
  EXPECT_EQ(reader().search("zebra").text, "nothing holds any of these words; try others, or grep");
}

TEST_F(ContextReaderTest, ReadsRangesAndSaysWhatIsLeft) {
  EXPECT_EQ(reader().read("src/deep/long.h", 7, 8).text,
            "src/deep/long.h:7-8 of 500 lines\n    7 | int line_7 = 7;\n    8 | int line_8 = 8;\n");
  const std::string all = reader().read("src/deep/long.h").text;
  EXPECT_THAT(all, HasSubstr("  400 | int line_400"));
  EXPECT_THAT(all, Not(HasSubstr("line_401")));
  EXPECT_THAT(all, HasSubstr("... 100 more lines; ask for them from 401\n"));
  EXPECT_EQ(reader().read("src/deep/long.h", 501).text, "src/deep/long.h has 500 lines");
  EXPECT_EQ(reader().read("src/short.cu", 2, 1).text,
            "src/short.cu:2-2 of 2 lines\n    2 | void f();\n");
}

TEST_F(ContextReaderTest, ANameThatIsNotThereIsAnsweredWithTheRoots) {
  for (const char* name :
       {"nothing.h", "src/nothing.h", "../etc/passwd", "versions/v009/kernel.cu"}) {
    const Reading found = reader().read(name);
    EXPECT_TRUE(found.failed);
    EXPECT_EQ(found.text,
              std::string(name) + " is not there; names begin with one of: versions, notes, src");
  }
}

TEST_F(ContextReaderTest, ListsLevelByLevel) {
  EXPECT_EQ(reader().list("").text, "versions/\nnotes/\nsrc/\n");
  EXPECT_EQ(reader().list("src/").text, "deep/\nshort.cu  (21 bytes)\n");
  EXPECT_EQ(reader().list("versions").text, "v001/\nv002/\n");
  EXPECT_EQ(reader().list("versions/v002").text,
            "kernel.cu\nverify.json\nkernel.ptx\nresources.txt\ninstructions.txt\nloop.txt\n");
  EXPECT_EQ(reader(1).list("versions").text, "there are no earlier versions\n");
  EXPECT_TRUE(reader().list("elsewhere").failed);
}

TEST_F(ContextReaderTest, OnlyEarlierVersionsAreShown) {
  EXPECT_THAT(reader(3).read("versions/v002/kernel.cu").text, HasSubstr("kernel of 2"));
  EXPECT_TRUE(reader(2).read("versions/v002/kernel.cu").failed);
  EXPECT_TRUE(reader(3).read("versions/v002/kernel.cpu.so").failed);
  EXPECT_TRUE(reader(3).read("versions/v002/../../../src/short.cu").failed);
  EXPECT_THAT(reader(3).read("versions/v001/verify.json").text, HasSubstr("<build>/v001"));
}

TEST_F(ContextReaderTest, SassIsMadeWhereADisassemblerIs) {
  const fs::path cubin = config_.step_dir(1) / "kernel.cubin";
  write_file_atomic(cubin, "cubin");
  write_file_atomic(config_.step_dir(1) / "compile.json",
                    to_text({{"status", "compiled"},
                             {"source", (config_.version_dir(1) / "kernel.cu").string()},
                             {"artifacts",
                              {{"cuda",
                                {{"status", "built"},
                                 {"architecture", "90a"},
                                 {"cubins", {{"90a", cubin.string()}}},
                                 {"ptx", ""}}}}}}));
  config_.nvcc = root_.path() / "bin/nvcc";
  put("bin/nvdisasm", "#!/bin/sh\nfor last; do :; done\ntest -e \"$last\" && echo made of $last\n");
  fs::permissions(root_.path() / "bin/nvdisasm", fs::perms::owner_all);
  EXPECT_EQ(reader().list("versions/v001").text,
            "kernel.cu\ncompile.json\nverify.json\nkernel.sass\n");
  EXPECT_THAT(reader().read("versions/v001/kernel.sass").text,
              HasSubstr("made of <build>/v001/kernel.cubin"));
  put("bin/nvdisasm", "#!/bin/sh\nexit 3\n");
  fs::permissions(root_.path() / "bin/nvdisasm", fs::perms::owner_all);
  const Reading failed = reader().read("versions/v001/kernel.sass");
  EXPECT_TRUE(failed.failed);
  EXPECT_THAT(failed.text, StartsWith("versions/v001/kernel.sass cannot be made: "));
}

TEST_F(ContextReaderTest, GrepsFilesAndVersions) {
  EXPECT_EQ(reader().grep("line_(49|50)9? =", "src", false).text.substr(0, 49),
            "src/deep/long.h:49: int line_49 = 49;\nsrc/deep/lo");
  EXPECT_EQ(reader().grep("WGMMA {", "", true).text, "src/short.cu:1: // wgmma {\n");
  EXPECT_EQ(reader().grep("kernel of", "versions", false).text,
            "versions/v001/kernel.cu:1: kernel of 1\nversions/v002/kernel.cu:1: kernel of 2\n");
  EXPECT_THAT(reader().grep("int", "src/deep", false).text, HasSubstr("... 440 more matches"));
  EXPECT_EQ(reader().grep("zebra", "src", false).text, "no line matches");
  EXPECT_TRUE(reader().grep("(", "src", false).failed);
  EXPECT_TRUE(reader().grep("x", "elsewhere", false).failed);
}

TEST_F(ContextReaderTest, OperatorsOfABuildTreeShareTheIndex) {
  reader().refresh();
  config_.build_dir = root_.path() / "build/kernelloop/other";
  EXPECT_EQ(reader().refresh().read, 0);
}

TEST_F(ContextReaderTest, AMissingDirectoryIsTheConfigurationsFault) {
  config_.context = {"/nowhere/at/all"};
  EXPECT_THROW(reader(), Error);
}

}  // namespace
}  // namespace kernelloop
