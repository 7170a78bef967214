#include "bundle/step_line.hpp"

#include "support/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

using Kind = StepWord::Kind;

constexpr std::array<std::string_view, 9> k_steps{
    "baselines", "bench", "ceilings", "compare", "list", "profile", "reference", "trace", "verify"};

// Every option of those steps that names a file or a directory.
constexpr std::array<std::pair<std::string_view, Kind>, 15> k_options{
    {{"--contract", Kind::file},
     {"--checks", Kind::file},
     {"--timing", Kind::file},
     {"--verified", Kind::file},
     {"--measured", Kind::file},
     {"--reference", Kind::file},
     {"--library", Kind::file},
     {"--baseline", Kind::file},
     {"--ncu", Kind::file},
     {"--compiled", Kind::compiled},
     {"--traced", Kind::compiled},
     {"--incumbent", Kind::compiled},
     {"--challenger", Kind::compiled},
     {"--output", Kind::output},
     {"--cache-dir", Kind::cache}}};

std::optional<Kind> kind_of(std::string_view option) {
  for (const auto& [name, kind] : k_options) {
    if (name == option) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::vector<StepWord> words_of(const StepLine& line) {
  if (std::find(k_steps.begin(), k_steps.end(), line.step) == k_steps.end()) {
    fail(ExitCode::usage, "'{}' is no step that a bundle can hold; those are {}", line.step,
         fmt::join(k_steps, ", "));
  }
  std::vector<StepWord> words;
  for (std::size_t i = 0; i < line.arguments.size(); ++i) {
    const std::string& argument = line.arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    const std::optional<Kind> kind = kind_of(option);
    if (!kind) {
      words.push_back({Kind::plain, argument, ""});
    } else if (equals != std::string::npos) {
      words.push_back({*kind, option, argument.substr(equals + 1)});
    } else if (i + 1 < line.arguments.size()) {
      words.push_back({*kind, option, line.arguments[++i]});
    } else {
      fail(ExitCode::usage, "{}: {} lacks its value", line.step, option);
    }
  }
  return words;
}

std::string value_of(const std::vector<StepWord>& words, StepWord::Kind kind) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const StepWord& word) { return word.kind == kind; });
  return found == words.end() ? std::string() : found->value;
}

}  // namespace kernelloop
