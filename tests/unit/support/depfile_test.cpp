#include "support/depfile.hpp"

#include "support/files.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(Depfile, NamesAreWrittenAsMakeReadsThem) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "step.d";
  write_depfile(file, "/b/out put", {"/a/one", "/a/#2 $x"});
  EXPECT_EQ(read_file(file), "/b/out\\ put: \\\n  /a/one \\\n  /a/\\#2\\ $$x\n");
}

}  // namespace
}  // namespace kernelloop
