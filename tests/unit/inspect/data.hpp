// Outputs of real tools, recorded for these tests, and programs that play the tools.
#pragma once

#include "support/files.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

inline std::string recorded_listing(const std::string& name) {
  return read_file(std::filesystem::path(INSPECT_TEST_DATA) / name);
}

// A program in `directory` that prints the recorded file, or its version when asked for that.
inline std::filesystem::path playing_tool(const std::filesystem::path& directory,
                                          const std::string& name, const std::string& file) {
  const std::filesystem::path path = directory / name;
  write_file_atomic(path,
                    "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Cuda compilation tools, "
                    "release 13.0, V13.0.85'; exit; }\ncat '" +
                        (std::filesystem::path(INSPECT_TEST_DATA) / file).string() + "'\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace kernelloop
