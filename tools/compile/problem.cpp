#include "compile/problem.hpp"

#include "compile/source_text.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::size_t k_shown = 10;
constexpr std::size_t k_shown_rules = 6;  // of them, when the compiler has messages of its own
constexpr std::size_t k_message_bytes = 700;
constexpr std::size_t k_line_bytes = 240;

const char* name_of(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::diagnostic:
      return "diagnostic";
    case Problem::Kind::plan:
      return "plan";
    case Problem::Kind::policy:
      return "policy";
    case Problem::Kind::timeout:
      return "timeout";
    case Problem::Kind::crash:
      return "crash";
  }
  return "";
}

bool is_rule(const Problem& problem) {
  return problem.kind == Problem::Kind::plan || problem.kind == Problem::Kind::policy;
}

}  // namespace

Problem problem_at(Problem::Kind kind, std::string message, std::size_t line) {
  Problem problem;
  problem.kind = kind;
  problem.message = std::move(message);
  problem.line = line;
  return problem;
}

Problem broken_rule(std::string message, std::size_t line) {
  return problem_at(Problem::Kind::policy, std::move(message), line);
}

bool has_error(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Problem::Severity::error;
  });
}

void ProblemList::add(Problem problem) {
  problem.message = plain_text(problem.message, k_message_bytes);
  const bool known = std::any_of(problems_.begin(), problems_.end(), [&](const Problem& other) {
    return other.line == problem.line && other.severity == problem.severity &&
           other.message == problem.message;
  });
  if (!known) problems_.push_back(std::move(problem));
}

void ProblemList::add_all(std::vector<Problem> problems) {
  for (Problem& problem : problems) add(std::move(problem));
}

std::size_t ProblemList::errors() const {
  return static_cast<std::size_t>(std::count_if(
      problems_.begin(), problems_.end(),
      [](const Problem& problem) { return problem.severity == Problem::Severity::error; }));
}

const Problem* ProblemList::first_error() const {
  const std::vector<const Problem*> ordered = chosen();
  if (ordered.empty() || ordered.front()->severity != Problem::Severity::error) return nullptr;
  return ordered.front();
}

std::vector<const Problem*> ProblemList::chosen() const {
  std::vector<const Problem*> rules;
  std::vector<const Problem*> messages;
  std::vector<const Problem*> warnings;
  for (const Problem& problem : problems_) {
    if (problem.severity == Problem::Severity::warning) {
      warnings.push_back(&problem);
    } else {
      (is_rule(problem) ? rules : messages).push_back(&problem);
    }
  }
  std::vector<const Problem*> result = rules;
  if (!messages.empty() && result.size() > k_shown_rules) result.resize(k_shown_rules);
  result.insert(result.end(), messages.begin(), messages.end());
  result.insert(result.end(), warnings.begin(), warnings.end());
  if (result.size() > k_shown) result.resize(k_shown);
  return result;
}

Json ProblemList::to_json(const SourceText& source) const {
  Json result = Json::array();
  for (const Problem* problem : chosen()) {
    result.push_back({
        {"kind", name_of(problem->kind)},
        {"severity", problem->severity == Problem::Severity::error ? "error" : "warning"},
        {"message", problem->message},
        {"line", problem->line},
        {"column", problem->column},
        {"source_line", shortened(source.line(problem->line), k_line_bytes)},
    });
  }
  return result;
}

}  // namespace kernelloop
