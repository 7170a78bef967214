// What is wrong with a version, in the form in which the next prompt shows it.
#pragma once

#include "support/json.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace kernelloop {

class SourceText;

struct Problem {
  // `crash`: the compiler died of the source, or dies anyway (compiler_trial.hpp tells).
  enum class Kind { diagnostic, plan, policy, timeout, crash };
  enum class Severity { error, warning };

  Kind kind = Kind::diagnostic;
  Severity severity = Severity::error;
  std::string message;
  std::size_t line = 0;    // in the version's source, from 1; 0 when unknown
  std::size_t column = 0;  // from 1; 0 when unknown
};

// An error at a line of the source (0: unknown).
Problem problem_at(Problem::Kind kind, std::string message, std::size_t line = 0);

// A version that breaks a rule, at a line of its source (0: unknown).
Problem broken_rule(std::string message, std::size_t line);

// Whether one of them is more than a warning.
bool has_error(const std::vector<Problem>& problems);

// Collects problems, each once: a message that comes again for the same line (another template
// instantiation, another architecture) is dropped.
class ProblemList {
 public:
  void add(Problem problem);
  void add_all(std::vector<Problem> problems);

  [[nodiscard]] std::size_t errors() const;
  [[nodiscard]] bool empty() const noexcept { return problems_.empty(); }

  // The first error in the order of to_json; nullptr when there is none.
  [[nodiscard]] const Problem* first_error() const;

  // `problems` of compile.json, at most ten: errors before warnings; broken rules and plan before
  // the compiler's messages, but never so many that they crowd those out. Each with the text of its
  // source line.
  [[nodiscard]] Json to_json(const SourceText& source) const;

 private:
  [[nodiscard]] std::vector<const Problem*> chosen() const;

  std::vector<Problem> problems_;
};

}  // namespace kernelloop
