// The source of a version: the file that bears the name of its language.
#pragma once

#include "languages/language.hpp"

#include <filesystem>
#include <optional>

namespace kernelloop {

struct VersionSource {
  std::filesystem::path path;
  const Language* language;  // never null
};

// Nothing where there is no version yet.
std::optional<VersionSource> find_version_source(const std::filesystem::path& version_dir);

// Its path; where there is none yet, that of CUDA C++.
std::filesystem::path version_source(const std::filesystem::path& version_dir);

// The language of a source by its file's name; null for other names.
const Language* language_of_source(const std::filesystem::path& source);

}  // namespace kernelloop
