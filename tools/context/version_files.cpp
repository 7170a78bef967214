#include "context/version_files.hpp"

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/version.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// Whether the file stands with the version itself or with what the steps wrote about it.
struct Kind {
  const char* file;
  bool of_version;
};
constexpr std::array<Kind, 9> k_kinds{{{"kernel.cu", true},
                                       {"feedback.md", true},
                                       {"compile.json", false},
                                       {"verify.json", false},
                                       {"bench.json", false},
                                       {"profile.json", false},
                                       {"trace.json", false},
                                       {"kernel.ptx", false},
                                       {"kernel.sass", false}}};

// The toolkit's disassemblers, beside nvcc or in PATH.
std::vector<std::string> find_disassembler(const fs::path& nvcc) {
  for (const auto& [name, options] :
       {std::pair<const char*, std::vector<std::string>>{"nvdisasm", {"-c"}},
        std::pair<const char*, std::vector<std::string>>{"cuobjdump", {"-sass"}}}) {
    fs::path program = nvcc.empty() ? fs::path() : nvcc.parent_path() / name;
    if (program.empty() || !fs::exists(program)) program = find_program(name);
    if (program.empty()) continue;
    std::vector<std::string> command{program.string()};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }
  return {};
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

VersionFiles::VersionFiles(const OpConfig& config, int before)
    : config_(config), before_(before), disassembler_(find_disassembler(config.nvcc)) {}

fs::path VersionFiles::path_of(int version, const std::string& file) const {
  const auto kind =
      std::find_if(k_kinds.begin(), k_kinds.end(), [&](const Kind& k) { return file == k.file; });
  if (kind == k_kinds.end()) return {};
  if (kind->of_version) return config_.version_dir(version) / file;
  if (file == "kernel.sass") return config_.step_dir(version) / "kernel.cubin";
  return config_.step_dir(version) / file;
}

std::vector<std::string> VersionFiles::versions() const {
  std::vector<std::string> result;
  for (int version = 1; version < before_; ++version) {
    if (fs::exists(config_.version_dir(version) / "kernel.cu")) {
      result.push_back(version_name(version));
    }
  }
  return result;
}

std::vector<std::string> VersionFiles::files(const std::string& version) const {
  std::vector<std::string> result;
  const int number = version_number(version);
  if (number < 1 || number >= before_) return result;
  for (const Kind& kind : k_kinds) {
    const std::string file = kind.file;
    if (file == "kernel.sass" && disassembler_.empty()) continue;
    if (fs::exists(path_of(number, file))) result.push_back(file);
  }
  return result;
}

FileText VersionFiles::read(const std::string& name) const {
  const std::size_t slash = name.find('/');
  const std::string version = name.substr(0, slash);
  const std::string file = slash == std::string::npos ? "" : name.substr(slash + 1);
  const std::vector<std::string> there = files(version);
  if (std::find(there.begin(), there.end(), file) == there.end()) return {{}, "is not there"};
  const fs::path path = path_of(version_number(version), file);
  if (file == "kernel.sass") {
    std::string text = disassembly(path);
    return text.empty() ? FileText{{}, "could not be made from the cubin"}
                        : FileText{std::move(text), {}};
  }
  return {without_paths(read_file(path), config_), {}};
}

std::string VersionFiles::disassembly(const fs::path& cubin) const {
  Command command;
  command.arguments = disassembler_;
  command.arguments.push_back(cubin.string());
  command.timeout = std::chrono::seconds(60);
  const ProcessResult result = run(command);
  return result.succeeded() ? result.output : std::string();
}

}  // namespace kernelloop
