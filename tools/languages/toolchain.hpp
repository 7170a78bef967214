// Where the compiler of a language is: a virtual environment of its own.
#pragma once

#include "languages/language.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

struct Toolchain {
  std::filesystem::path python;                 // of the environment
  std::map<int, std::filesystem::path> ptxas;   // as Language has them
  std::vector<std::filesystem::path> readable;  // what a confined run of it must see
  std::vector<std::string> versions;            // "triton 3.6.0", of the requirements

  // "Triton (triton 3.6.0)", for who reads a version's evidence.
  [[nodiscard]] std::string text(const Language& language) const;
  // The language's own assembler for "90a"; empty: the toolkit's.
  [[nodiscard]] std::filesystem::path ptxas_for(const std::string& architecture) const;
};

// The package that the compiler is; languages with the same requirements share a toolchain.
std::string toolchain_name(const Language& language);

// Where `kernelloop toolchain install` puts it: $XDG_CACHE_HOME (~/.cache)
// /kernelloop/toolchains/<toolchain_name>-<12 digits of the requirements' hash>.
std::filesystem::path toolchain_folder(const Language& language);

// The environment named by $KERNELLOOP_<TOOLCHAIN_NAME>_PYTHON (a python program), else the
// installed one. Throws Error(environment) with the one command that mends it when there is none,
// or when a requirement is missing or has another version.
Toolchain find_toolchain(const Language& language);

// The directories of the language's own sources that are installed: `context` of its environment,
// of CUDA C++ headers of the toolkit that `nvcc` belongs to. Runs nothing; empty where nothing is.
std::vector<std::filesystem::path> language_sources(const Language& language,
                                                    const std::filesystem::path& nvcc);

// Makes the environment with Python's venv and pip, from the network, and returns it. What is
// already whole is left alone. Nothing half-made is left when it fails. Throws Error(environment).
Toolchain install_toolchain(const Language& language);

}  // namespace kernelloop
