#include "languages/version_source.hpp"

namespace kernelloop {

std::optional<VersionSource> find_version_source(const std::filesystem::path& version_dir) {
  for (const Language& language : all_languages()) {
    std::filesystem::path path = version_dir / language.source;
    if (std::filesystem::exists(path)) return VersionSource{std::move(path), &language};
  }
  return std::nullopt;
}

std::filesystem::path version_source(const std::filesystem::path& version_dir) {
  const auto found = find_version_source(version_dir);
  return found ? found->path : version_dir / cuda_language().source;
}

const Language* language_of_source(const std::filesystem::path& source) {
  for (const Language& language : all_languages()) {
    if (source.filename() == language.source) return &language;
  }
  return nullptr;
}

}  // namespace kernelloop
