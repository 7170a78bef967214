#include "support/toolkit.hpp"

#include "support/files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

std::filesystem::path add_program(const std::filesystem::path& path) {
  write_file_atomic(path, "#!/bin/sh\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(Toolkit, LooksBesideTheNeighbourThenInTheRoots) {
  const TemporaryDirectory directory;
  const char* name = "kernelloop-no-such-tool";
  EXPECT_TRUE(find_toolkit_program(name).empty());
  ::setenv("CUDA_HOME", directory.path().c_str(), 1);
  const auto of_root = add_program(directory.path() / "bin" / name);
  EXPECT_EQ(find_toolkit_program(name), of_root);
  const auto beside = add_program(directory.path() / "other" / name);
  EXPECT_EQ(find_toolkit_program(name, directory.path() / "other" / "nvcc"), beside);
  EXPECT_EQ(toolkit_roots().front(), directory.path());
  ::unsetenv("CUDA_HOME");
}

}  // namespace
}  // namespace kernelloop
