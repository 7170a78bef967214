#include "compile/policy.hpp"

#include "compile/directive_policy.hpp"
#include "compile/preprocessor_policy.hpp"
#include "compile/ptx.hpp"
#include "compile/source_text.hpp"
#include "compile/text.hpp"
#include "support/demangle.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

bool leaves_its_directory(const std::filesystem::path& target) {
  return target.is_absolute() ||
         std::any_of(target.begin(), target.end(), [](const auto& part) { return part == ".."; });
}

// The file stands in the version's directory, symbolic links followed.
bool is_part_of_version(const std::string& target, const std::filesystem::path& version_dir) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(version_dir / target, error);
  if (error) return false;
  const std::filesystem::path directory = std::filesystem::canonical(version_dir, error);
  if (error) return false;
  return std::mismatch(directory.begin(), directory.end(), file.begin(), file.end()).first ==
         directory.end();
}

std::optional<Problem> check_include(const IncludeDirective& include,
                                     const std::filesystem::path& version_dir) {
  const std::string shown = include.delimiter == '<'   ? "<" + include.target + ">"
                            : include.delimiter == '"' ? '"' + include.target + '"'
                                                       : include.target;
  if (include.directive != "include") {
    return broken_rule(
        fmt::format("#{} {} is not allowed; use #include <header>", include.directive, shown),
        include.line);
  }
  if (include.delimiter == 0) {
    return broken_rule(
        fmt::format("#include {} takes its file name from a macro; write the name out", shown),
        include.line);
  }
  if (leaves_its_directory(include.target)) {
    return broken_rule(
        fmt::format("#include {} reaches out of the version; include headers of the CUDA toolkit "
                    "and the standard library by name, and write everything else into this file",
                    shown),
        include.line);
  }
  if (include.delimiter == '"' && !is_part_of_version(include.target, version_dir)) {
    return broken_rule(
        fmt::format("#include {} names a file that is not part of the version: a version is one "
                    "file. For a header of the CUDA toolkit or the standard library write "
                    "#include <{}>; put the code of any other into this file",
                    shown, include.target),
        include.line);
  }
  return std::nullopt;
}

// Functions of the CUDA runtime that are device code.
bool is_device_function(std::string_view name) {
  return name == "cudaGridDependencySynchronize" ||
         name == "cudaTriggerProgrammaticLaunchCompletion";
}

bool starts_with_capital_after(std::string_view name, std::string_view prefix) {
  return starts_with(name, prefix) && name.size() > prefix.size() &&
         std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0;
}

// "cudaMalloc", "cuLaunchKernel"; not "cuCmulf" of cuComplex.h.
bool is_host_api(std::string_view name) {
  if (starts_with_capital_after(name, "cuda")) return !is_device_function(name);
  if (!starts_with_capital_after(name, "cu")) return false;
  static constexpr std::array<std::string_view, 17> k_families{
      "Init",   "Mem", "Launch", "Module", "Library",   "Kernel",    "Func",    "Stream",  "Event",
      "Device", "Ctx", "Link",   "Graph",  "TensorMap", "Occupancy", "GetProc", "GetError"};
  return std::any_of(k_families.begin(), k_families.end(),
                     [&](std::string_view family) { return starts_with(name.substr(2), family); });
}

char next_code_char(const std::string& code, std::size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) ++at;
  return at < code.size() ? code[at] : '\0';
}

// The identifier that ends before `at`, blanks skipped.
std::string_view word_before(const std::string& code, std::size_t at) {
  while (at > 0 && std::isspace(static_cast<unsigned char>(code[at - 1])) != 0) --at;
  std::size_t start = at;
  while (start > 0 && is_word(code[start - 1])) --start;
  return std::string_view(code).substr(start, at - start);
}

void check_host_code(const SourceText& source, std::vector<Problem>& problems) {
  const std::string& code = source.code();
  for (std::size_t at = 0; at < code.size();) {
    if (starts_with(std::string_view(code).substr(at), "<<<")) {
      problems.push_back(broken_rule(
          "a version does not launch its kernels: the plan does; remove the <<<...>>> launch and "
          "describe it in the kernelloop:plan comment",
          source.line_of(at)));
      at += 3;
      continue;
    }
    if (!is_word(code[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < code.size() && is_word(code[end])) ++end;
    const std::string_view name = std::string_view(code).substr(at, end - at);
    if (next_code_char(code, end) == '(') {
      if (is_host_api(name)) {
        problems.push_back(broken_rule(
            fmt::format("a version holds device code only: it cannot call {}; memory, streams and "
                        "launches belong to the harness",
                        name),
            source.line_of(at)));
      } else if (name == "main") {
        const std::string_view type = word_before(code, at);
        if (type == "int" || type == "void" || type == "auto") {
          problems.push_back(
              broken_rule("a version holds device code only: remove main() and all host code",
                          source.line_of(at)));
        }
      }
    }
    at = end;
  }
}

// A function of the device runtime, what it is in the source, and what to do instead.
struct RuntimeFunction {
  std::string_view symbol;
  std::string_view words;  // how the source may spell it, separated by blanks
  std::string_view advice;
};

constexpr std::array<RuntimeFunction, 3> k_runtime_functions{{
    {"vprintf", "printf vprintf", "printf needs the device runtime; remove it"},
    {"malloc", "malloc new",
     "malloc and new need the device heap; use shared memory, registers, or the plan's workspace"},
    {"free", "free delete",
     "free and delete need the device heap; use shared memory, registers, or the plan's "
     "workspace"},
}};

std::size_t line_of_any(const SourceText& source, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (const std::size_t line = source.line_of_word(words.substr(0, end))) return line;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return 0;
}

}  // namespace

namespace {

// `seen` are the files looked at: one may include another that includes the first.
void examine_source(const SourceText& source, const std::filesystem::path& version_dir,
                    std::set<std::filesystem::path>& seen, SourcePolicy& result) {
  for (const IncludeDirective& include : source.includes()) {
    if (std::optional<Problem> problem = check_include(include, version_dir)) {
      result.problems.push_back(std::move(*problem));
      result.reads_foreign_files = true;
    } else if (include.delimiter == '"') {
      const std::filesystem::path file = std::filesystem::canonical(version_dir / include.target);
      if (!seen.insert(file).second) continue;
      examine_source(SourceText(read_file(file)), version_dir, seen, result);
    }
  }
  std::vector<Problem> directives = check_directives(source);
  std::move(directives.begin(), directives.end(), std::back_inserter(result.problems));
  std::vector<Problem> questions = check_preprocessor_use(source);
  std::move(questions.begin(), questions.end(), std::back_inserter(result.problems));
  check_host_code(source, result.problems);
}

}  // namespace

SourcePolicy check_source_policy(const SourceText& source,
                                 const std::filesystem::path& version_dir) {
  SourcePolicy result;
  std::set<std::filesystem::path> seen;
  examine_source(source, version_dir, seen, result);
  return result;
}

std::vector<Problem> check_ptx_policy(const PtxModule& ptx, const SourceText& source) {
  std::vector<Problem> result;
  for (const std::string& function : ptx.extern_functions()) {
    if (function == "__assertfail") continue;
    const auto known =
        std::find_if(k_runtime_functions.begin(), k_runtime_functions.end(),
                     [&](const RuntimeFunction& one) { return one.symbol == function; });
    if (known != k_runtime_functions.end()) {
      result.push_back(broken_rule(std::string(known->advice), line_of_any(source, known->words)));
    } else {
      result.push_back(broken_rule(
          fmt::format("'{}' is not defined in this file and belongs to the device runtime, which a "
                      "version cannot use; write what it does yourself",
                      demangled(function)),
          source.line_of_word(function)));
    }
  }
  return result;
}

}  // namespace kernelloop
