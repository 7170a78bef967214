#include "compile/ptxas_messages.hpp"

#include "compile/ptx.hpp"
#include "compile/text.hpp"
#include "support/demangle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace kernelloop {
namespace {

// The text between the first two single quotes.
std::string quoted(std::string_view text) {
  const std::size_t open = text.find('\'');
  if (open == std::string_view::npos) return {};
  const std::size_t close = text.find('\'', open + 1);
  return close == std::string_view::npos ? std::string()
                                         : std::string(text.substr(open + 1, close - open - 1));
}

// One `ptxas ...` line: an optional place in the PTX, a level, a text.
struct Line {
  std::size_t ptx_line = 0;
  std::string_view level;  // "error", "fatal", "warning", "info"
  std::string_view text;
};

std::optional<Line> parse_line(std::string_view line) {
  if (!starts_with(line, "ptxas ")) return std::nullopt;
  Line result;
  std::string_view rest = line.substr(6);
  // "ptxas kernel.ptx, line 31; error   : text"
  const std::size_t place = rest.find(", line ");
  const std::size_t semicolon = rest.find("; ");
  if (place != std::string_view::npos && semicolon != std::string_view::npos && place < semicolon) {
    const std::string_view number = rest.substr(place + 7, semicolon - place - 7);
    std::from_chars(number.data(), number.data() + number.size(), result.ptx_line);
    rest.remove_prefix(semicolon + 2);
  }
  const std::size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  result.level = trimmed(rest.substr(0, colon));
  result.text = trimmed(rest.substr(colon + 2));
  for (const std::string_view known : {"error", "fatal", "warning", "info"}) {
    if (result.level == known) return result;
  }
  return std::nullopt;
}

// Figures such as "1,024 bytes smem" in a list; thousands may be separated by commas.
std::int64_t figure_before(std::string_view text, std::string_view unit) {
  const std::size_t at = text.find(unit);
  if (at == std::string_view::npos) return 0;
  std::string digits;
  for (std::size_t i = at; i-- > 0;) {
    const char c = text[i];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      digits.insert(digits.begin(), c);
    } else if (!(c == ',' && !digits.empty() && i > 0 &&
                 std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0)) {
      break;
    }
  }
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::int64_t figures_before(std::string_view text, std::string_view unit) {
  std::int64_t sum = 0;
  for (std::size_t at = text.find(unit); at != std::string_view::npos; at = text.find(unit)) {
    sum += figure_before(text, unit);
    text.remove_prefix(at + unit.size());
  }
  return sum;
}

// Puts decimal figures in place of "(0x3a980 bytes, 0x38c00 max)".
std::string in_words(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 2;
    if (text.substr(at, 2) == "0x") {
      while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    }
    std::uint64_t value = 0;
    if (end > at + 2 &&
        std::from_chars(text.data() + at + 2, text.data() + end, value, 16).ec == std::errc()) {
      result += std::to_string(value);
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

// The message with mangled names read out, and what to do about it where that is known.
std::string explained(std::string_view text) {
  std::string result = in_words(text);
  const std::string name = quoted(text);
  if (const std::string readable = demangled(name); readable != name) {
    result.replace(result.find(name), name.size(), readable);
  }
  if (contains(text, "uses too much shared data")) {
    result +=
        "; make the static __shared__ arrays smaller, or move them to dynamic shared memory "
        "(extern __shared__, dynamic_shared_bytes in the plan)";
  } else if (contains(text, "Unresolved extern")) {
    result += "; it is declared but not defined: define it in this file";
  } else if (contains(text, "wgmma") && contains(text, "serialized")) {
    result +=
        "; keep the accumulator registers untouched between wgmma.mma_async and "
        "wgmma.wait_group, and commit and wait in the same function";
  } else if (contains(text, "setmaxnreg")) {
    result +=
        "; give the kernel __launch_bounds__(threads, blocks) so that its register count "
        "is known at entry";
  }
  return result;
}

std::size_t line_of_function(const std::string& name, const PtxModule& ptx) {
  const PtxKernel* kernel = ptx.find(name);
  return kernel == nullptr ? 0 : kernel->line;
}

// Follows from other errors, and says nothing of its own.
bool is_epilogue(std::string_view text) {
  return contains(text, "Ptx assembly aborted due to errors");
}

// These come again from the resource report, with better words.
bool is_resource_warning(std::string_view text) {
  return starts_with(text, "Local memory used for function") ||
         starts_with(text, "Registers are spilled to local memory");
}

bool tells_of_lost_speed(std::string_view text) {
  return contains(text, "Potential Performance Loss");
}

}  // namespace

std::vector<FunctionResources> function_resources(std::string_view messages) {
  constexpr std::string_view k_entry = "Compiling entry function '";
  constexpr std::string_view k_properties = "Function properties for ";
  std::vector<FunctionResources> result;
  const auto named = [&](std::string_view name) -> FunctionResources& {
    for (FunctionResources& known : result) {
      if (known.name == name) return known;
    }
    result.emplace_back().name = name;
    return result.back();
  };
  std::string entry;
  std::string function;
  for_each_line(messages, [&](std::string_view line) {
    const std::optional<Line> parsed = parse_line(line);
    if (!parsed) {
      if (!function.empty() && contains(line, "bytes stack frame")) {
        FunctionResources& resources = named(function);
        resources.stack_bytes = figure_before(line, " bytes stack frame");
        resources.spill_store_bytes = figure_before(line, " bytes spill stores");
        resources.spill_load_bytes = figure_before(line, " bytes spill loads");
        function.clear();
      }
    } else if (starts_with(parsed->text, k_entry)) {
      entry = quoted(parsed->text);
      named(entry).entry = true;
    } else if (starts_with(parsed->text, k_properties)) {
      function = trimmed(parsed->text.substr(k_properties.size()));
    } else if (starts_with(parsed->text, "Used ") && !entry.empty()) {
      FunctionResources& resources = named(entry);
      resources.registers = figure_before(parsed->text, " registers");
      resources.barriers = figure_before(parsed->text, " barriers");
      resources.static_shared_bytes = figure_before(parsed->text, " bytes smem");
      resources.constant_bytes = figures_before(parsed->text, " bytes cmem[");
      resources.stack_bytes = std::max(resources.stack_bytes,
                                       figure_before(parsed->text, " bytes cumulative stack size"));
    }
  });
  return result;
}

std::vector<Problem> ptxas_problems(std::string_view messages, const PtxModule& ptx) {
  std::vector<Problem> result;
  for_each_line(messages, [&](std::string_view text) {
    const std::optional<Line> line = parse_line(text);
    if (!line) return;
    Problem problem;
    if (line->level == "error" || line->level == "fatal") {
      if (is_epilogue(line->text)) return;
    } else if ((line->level == "warning" && !is_resource_warning(line->text)) ||
               tells_of_lost_speed(line->text)) {
      problem.severity = Problem::Severity::warning;
    } else {
      return;
    }
    problem.message = "ptxas: " + explained(line->text);
    if (line->ptx_line != 0) {
      const PtxPlace place = ptx.place(line->ptx_line);
      problem.line = place.line;
      problem.message += fmt::format(" (in the PTX: {})", place.text);
    } else {
      problem.line = line_of_function(quoted(line->text), ptx);
    }
    // A statement of the source may stand in the PTX many times over.
    const bool known = std::any_of(result.begin(), result.end(), [&](const Problem& other) {
      return problem.line != 0 && other.line == problem.line &&
             starts_with(other.message, "ptxas: " + explained(line->text));
    });
    if (!known) result.push_back(std::move(problem));
  });
  return result;
}

std::vector<Problem> resource_warnings(const std::vector<FunctionResources>& resources,
                                       const PtxModule& ptx) {
  std::vector<Problem> result;
  for (const FunctionResources& function : resources) {
    const std::string what =
        fmt::format("{} '{}'", function.entry ? "kernel" : "function", demangled(function.name));
    Problem problem;
    problem.severity = Problem::Severity::warning;
    problem.line = line_of_function(function.name, ptx);
    if (function.spill_store_bytes > 0 || function.spill_load_bytes > 0) {
      problem.message =
          fmt::format("{} spills registers to local memory: {} bytes of stores, {} bytes of loads",
                      what, function.spill_store_bytes, function.spill_load_bytes);
    } else if (function.stack_bytes > 0) {
      problem.message = fmt::format(
          "{} keeps {} bytes per thread in local memory (an array indexed by a value that is not "
          "known at compile time, or a call that was not inlined)",
          what, function.stack_bytes);
    } else {
      continue;
    }
    result.push_back(std::move(problem));
  }
  return result;
}

}  // namespace kernelloop
