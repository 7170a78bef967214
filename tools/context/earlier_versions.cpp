#include "context/earlier_versions.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include "inspect/disassembler.hpp"
#include "inspect/inspect.hpp"
#include "languages/version_source.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

enum class Source { version, step, made };

struct Kind {
  std::string_view file;
  Source source;
  std::string (*make)(const VersionFiles& files) = nullptr;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = [] {
    std::vector<Kind> all;
    for (const Language& language : all_languages())
      all.push_back({language.source, Source::version});
    all.insert(all.end(), {{"feedback.md", Source::version},
                           {"compile.json", Source::step},
                           {"verify.json", Source::step},
                           {"bench.json", Source::step},
                           {"profile.json", Source::step},
                           {"trace.json", Source::step},
                           {"kernel.ptx", Source::step},
                           {"resources.txt", Source::made, resources_text},
                           {"instructions.txt", Source::made, histogram_text},
                           {"loop.txt", Source::made,
                            [](const VersionFiles& files) { return loop_text(files); }},
                           {"kernel.sass", Source::made, sass_text}});
    return all;
  }();
  return table;
}

const Kind* find_kind(std::string_view file) {
  const auto found = std::find_if(kinds().begin(), kinds().end(),
                                  [&](const Kind& kind) { return kind.file == file; });
  return found == kinds().end() ? nullptr : &*found;
}

// Where things stand on this machine is nobody's business.
std::string without_paths(std::string text, const OpConfig& config) {
  for (const auto& [path, word] : {std::pair{config.build_dir.string(), "<build>"},
                                   {config.generated_dir.string(), "<generated>"}}) {
    if (path.empty()) continue;
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
      text.replace(at, path.size(), word);
    }
  }
  return text;
}

}  // namespace

EarlierVersions::EarlierVersions(const OpConfig& config, int before)
    : config_(config),
      before_(before),
      can_disassemble_(find_disassembler(config.nvcc).kind != Disassembler::Kind::none) {}

bool EarlierVersions::is_made(const std::string& file) {
  const Kind* kind = find_kind(file);
  return kind != nullptr && kind->source == Source::made;
}

bool EarlierVersions::is_there(int version, const std::string& file) const {
  const Kind& kind = *find_kind(file);
  const fs::path step = config_.step_dir(version);
  if (kind.source == Source::version) return fs::exists(config_.version_dir(version) / file);
  if (kind.source == Source::step) return fs::exists(step / file);
  return file == "kernel.sass" ? can_disassemble_ && fs::exists(step / "kernel.cubin")
                               : fs::exists(step / "kernel.ptx");
}

std::vector<std::string> EarlierVersions::versions() const {
  std::vector<std::string> result;
  for (int version = 1; version < before_; ++version) {
    if (fs::exists(version_source(config_.version_dir(version)))) {
      result.push_back(version_name(version));
    }
  }
  return result;
}

std::vector<std::string> EarlierVersions::files(const std::string& version) const {
  std::vector<std::string> result;
  const int number = version_number(version);
  if (number < 1 || number >= before_) return result;
  for (const Kind& kind : kinds()) {
    const std::string file(kind.file);
    if (is_there(number, file)) result.push_back(file);
  }
  return result;
}

FileText EarlierVersions::read(const std::string& name) const {
  const std::size_t slash = name.find('/');
  const std::string file = slash == std::string::npos ? "" : name.substr(slash + 1);
  const int version = version_number(name.substr(0, slash));
  const Kind* kind = find_kind(file);
  if (kind == nullptr || version < 1 || version >= before_ || !is_there(version, file)) {
    return {{}, "is not there"};
  }
  try {
    if (kind->source == Source::made) {
      return {without_paths(kind->make(version_files(config_, version)), config_), {}};
    }
    const fs::path directory =
        kind->source == Source::version ? config_.version_dir(version) : config_.step_dir(version);
    return {without_paths(read_file(directory / file), config_), {}};
  } catch (const Error& error) {
    return {{}, "cannot be made: " + without_paths(error.what(), config_)};
  }
}

}  // namespace kernelloop
