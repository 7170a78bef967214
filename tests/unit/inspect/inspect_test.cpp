#include "inspect/inspect.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data.hpp"

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A build directory with two compiled versions whose tools stand beside "nvcc".
class Inspect : public testing::Test {
 protected:
  Inspect() {
    config_.op = "scale";
    config_.build_dir = directory_.path() / "scale";
    config_.nvcc = directory_.path() / "bin" / "nvcc";
    add_version(1, 32);
    add_version(2, 40);
  }

  void add_version(int version, int registers) {
    const std::filesystem::path step = config_.step_dir(version);
    const std::filesystem::path source = step / "loops.cu";
    write_file_atomic(source, recorded_listing("loops.cu") + (version == 1 ? "" : "// changed\n"));
    write_file_atomic(step / "kernel.ptx", recorded_listing("loops.ptx"));
    write_file_atomic(step / "kernel.cubin", "not looked at");
    const Json kernel{{"name", "nested"},
                      {"registers", registers},
                      {"static_shared_bytes", 1024},
                      {"spill_store_bytes", 0},
                      {"spill_load_bytes", 0},
                      {"stack_bytes", 0},
                      {"max_threads_per_block", 1024}};
    write_json(version, {{"status", "compiled"},
                         {"source", source.string()},
                         {"kernels", {kernel}},
                         {"artifacts",
                          {{"cuda",
                            {{"status", "built"},
                             {"architecture", "90a"},
                             {"cubins", {{"90a", (step / "kernel.cubin").string()}}},
                             {"ptx", (step / "kernel.ptx").string()}}}}}});
  }
  void write_json(int version, const Json& json) {
    write_file_atomic(config_.step_dir(version) / "compile.json", to_text(json));
  }
  void add_tool(const std::string& name, const std::string& file) {
    std::filesystem::create_directories(config_.nvcc.parent_path());
    playing_tool(config_.nvcc.parent_path(), name, file);
  }
  std::string complaint(int version, const std::string& architecture = {}) {
    try {
      version_files(config_, version, architecture);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "none";
  }

  TemporaryDirectory directory_;
  OpConfig config_;
};

TEST_F(Inspect, SaysWhyThereIsNothingToShow) {
  EXPECT_THAT(complaint(3), AllOf(HasSubstr("scale v003 is not compiled yet; build"),
                                  HasSubstr("v003/compile.json")));
  write_json(3, {{"status", "failed"}, {"reason", "nvcc rejects the source"}});
  EXPECT_THAT(complaint(3), HasSubstr("no machine code: failed, nvcc rejects the source"));
  write_json(3, {{"status", "compiled"}, {"artifacts", {{"cuda", {{"status", "absent"}}}}}});
  EXPECT_THAT(complaint(3), HasSubstr("compiled without nvcc"));
  EXPECT_THAT(complaint(1, "100a"), HasSubstr("not compiled for architecture 100a, only for 90a"));
  EXPECT_EQ(version_files(config_, 1, "sm_90a").architecture, "90a");
}

TEST_F(Inspect, ShowsTheHotLoopWithItsLines) {
  add_tool("nvdisasm", "loops.nvdisasm.txt");
  const std::string text = loop_text(version_files(config_, 1));
  EXPECT_THAT(text, HasSubstr("SASS by nvdisasm 13.0.85"));
  EXPECT_THAT(text, HasSubstr("3 loops; the hot one is the innermost with the most work: 17 "
                              "instructions at depth 2, source lines 14-18"));
  EXPECT_THAT(text, HasSubstr("   15  0x01a0  LDG.E R5, desc[UR6][R4.64]"));
  EXPECT_THAT(text, HasSubstr("Another at 0x02c0: 4 instructions, depth 2, source line 21"));
  EXPECT_THAT(text, HasSubstr("No loop: each thread goes once through 10 instructions"));
  EXPECT_THAT(text, Not(HasSubstr("Note:")));
  EXPECT_THAT(loop_text(version_files(config_, 1), 3),
              HasSubstr("(14 more instructions of the loop are not shown.)"));
}

TEST_F(Inspect, CountsInstructionsByClass) {
  add_tool("nvdisasm", "loops.nvdisasm.txt");
  const std::string text = histogram_text(version_files(config_, 1));
  EXPECT_THAT(text, HasSubstr("| global load | 1 | 1 | LDG 1 (1 x 4 B) |"));
  EXPECT_THAT(text, HasSubstr("| global load | 1 | 0 | LDG 1 (1 x 16 B) |"));
  EXPECT_THAT(text, HasSubstr("| special | 1 | 1 | MUFU 1 |"));
}

TEST_F(Inspect, ShowsResources) {
  EXPECT_THAT(resources_text(version_files(config_, 1)),
              HasSubstr("| nested | 32 | 1024 B | 0 B | 0 B | 0 B | 1024 |"));
}

TEST_F(Inspect, ShowsWhatChanged) {
  add_tool("nvdisasm", "loops.nvdisasm.txt");
  const auto before = version_files(config_, 1);
  const auto after = version_files(config_, 2);
  const std::string text = difference_text(before, after);
  EXPECT_THAT(text, HasSubstr("+// changed"));
  EXPECT_THAT(text, HasSubstr("- `nested`: registers 32 -> 40 (+8), static_shared_bytes 1024,"));
  EXPECT_THAT(text, HasSubstr("- the same of each class"));
  EXPECT_EQ(code_difference_text(before, after, Listing::Language::sass), "no difference\n");
  EXPECT_EQ(code_difference_text(before, after, Listing::Language::ptx), "no difference\n");
}

TEST_F(Inspect, ComparesCodeWithoutAddresses) {
  std::string ptx = recorded_listing("loops.ptx");
  ptx.replace(ptx.find("add.f32"), 7, "mul.f32");
  write_file_atomic(config_.step_dir(2) / "kernel.ptx", ptx);
  const std::string text = code_difference_text(version_files(config_, 1),
                                                version_files(config_, 2), Listing::Language::ptx);
  EXPECT_THAT(text, HasSubstr("--- v001"));
  EXPECT_THAT(text, HasSubstr("+  mul.f32"));
}

TEST_F(Inspect, SaysWhatWasUsedInstead) {
  const std::string old_path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const Listing listing = listing_of(version_files(config_, 1));
  ::setenv("PATH", old_path.c_str(), 1);
  if (listing.language == Listing::Language::sass) GTEST_SKIP() << "the toolkit has a disassembler";
  EXPECT_THAT(listing.lacks, HasSubstr("neither nvdisasm nor cuobjdump"));
  EXPECT_NE(listing.find("nested"), nullptr);
  EXPECT_EQ(listing.find("nowhere"), nullptr);
}

TEST_F(Inspect, CuobjdumpKnowsNoLines) {
  add_tool("cuobjdump", "loops.cuobjdump.txt");
  const Listing listing = listing_of(version_files(config_, 1));
  if (listing.made_by.rfind("cuobjdump", 0) != 0) GTEST_SKIP() << "the machine has nvdisasm";
  EXPECT_THAT(listing.lacks, HasSubstr("knows no source lines"));
  EXPECT_THAT(loop_text(version_files(config_, 1)), HasSubstr("Note: nvdisasm is not"));
}

}  // namespace
}  // namespace kernelloop
