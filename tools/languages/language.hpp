// The kernel languages in which versions are written.
#pragma once

#include "plan/launch_plan.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// CUDA C++ goes through nvcc. Every other language is an adapter: one Python file in
// tools/languages/adapters, whose docstring begins with the members below as a JSON object and goes
// on with `guide`.
struct Language {
  std::string name;                       // "CUDA", "TRITON", as in add_kernel_op(... LANGUAGE)
  std::string title;                      // "Triton"
  std::string source;                     // name of a version's source: "kernel.cu", "kernel.py"
  std::string fence;                      // of the code block in an answer: "cuda", "python"
  std::vector<std::string> requirements;  // as pip takes them, with versions
  // Its own assemblers, under site-packages, by the first architecture that each is for; none: the
  // toolkit's.
  std::map<int, std::string> ptxas;
  std::vector<std::string> context;  // its sources that a model may read, under site-packages
  std::string guide;                 // what a model is told of it, Markdown
  // The guide's first block of code, a whole version of an operator: what the compiler must be able
  // to compile, if it works at all.
  std::string example;
  std::string example_op;    // as op.json
  std::string_view adapter;  // the program; empty for CUDA C++

  [[nodiscard]] bool is_cuda() const noexcept { return adapter.empty(); }
  [[nodiscard]] PlanForm plan_form() const noexcept {
    return is_cuda() ? PlanForm::cuda : PlanForm::compiled;
  }
};

// CUDA C++ first, the others by name.
const std::vector<Language>& all_languages();

const Language& cuda_language();

// Throws Error(bad_input) that lists the names.
const Language& language_named(const std::string& name);

// Reads an adapter's docstring. Throws Error(internal): adapters are part of this program.
Language language_of_adapter(std::string_view adapter);

}  // namespace kernelloop
