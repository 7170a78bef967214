#include "compile/cubin.hpp"

#include "device/elf_view.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <span>
#include <string>

namespace kernelloop {

void require_cubin(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const ElfView::Result elf = ElfView::open(std::as_bytes(std::span(bytes)));
  std::string problem = elf.problem;
  if (elf.view && elf.view->machine() != ElfView::k_machine_cuda) {
    problem = "it is for machine " + std::to_string(elf.view->machine()) + ", not for CUDA (190)";
  }
  if (problem.empty()) return;
  fail(ExitCode::environment, "nvcc wrote a damaged cubin: {}; repair the CUDA toolkit", problem);
}

}  // namespace kernelloop
