// What the PTX of a version says about its kernels, and where its lines come from.
#pragma once

#include "plan/launch_plan.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// One line of PTX, and where it comes from.
struct PtxPlace {
  std::string text;      // of the PTX line, trimmed
  std::size_t line = 0;  // in the version's source; 0 when unknown
  // Whether the source's own text made it; false for code of a header that was inlined there.
  bool written_here = false;
};

struct PtxKernel {
  KernelInfo info;       // without static_shared_bytes, which only the assembler knows
  std::size_t line = 0;  // of the kernel in the version's source; 0 when unknown
  // Whether it waits for the launch before it, as a programmatic dependent launch must.
  bool waits = false;
};

class PtxModule {
 public:
  // `source` is the file whose lines are meant, as nvcc was given it.
  PtxModule(const std::string& text, const std::filesystem::path& source);

  [[nodiscard]] const std::vector<PtxKernel>& kernels() const noexcept { return kernels_; }
  // Functions that are declared and not defined: the device runtime.
  [[nodiscard]] const std::vector<std::string>& extern_functions() const noexcept {
    return extern_functions_;
  }
  [[nodiscard]] const PtxKernel* find(std::string_view name) const;

  // The place of a PTX line, counted from 1.
  [[nodiscard]] PtxPlace place(std::size_t ptx_line) const;

  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  void read_files();
  void read_functions();
  void read_kernel(std::size_t index);
  [[nodiscard]] bool waits(std::size_t index) const;
  [[nodiscard]] std::size_t source_line_of_loc(std::string_view loc) const;
  [[nodiscard]] bool is_of_source(std::string_view loc) const;

  std::vector<std::string> lines_;
  std::string source_name_;
  std::vector<std::size_t> source_files_;     // numbers of .file directives that name the source
  std::vector<std::size_t> function_starts_;  // indexes of lines that begin a function, ascending
  std::vector<PtxKernel> kernels_;
  std::vector<std::string> extern_functions_;
};

}  // namespace kernelloop
