#include "device/cubin_file.hpp"

#include "device/elf_view.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace kernelloop {
namespace {

constexpr std::size_t k_padding = 8192;

}  // namespace

CubinFile read_cubin(const std::filesystem::path& path) {
  CubinFile file;
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {
    file.problem = error.what();
    return file;
  }
  const ElfView::Result elf =
      ElfView::open(std::as_bytes(std::span<const char>(text.data(), text.size())));
  if (!elf.view) {
    file.problem = fmt::format("{} is no whole cubin: {}", path.filename().string(), elf.problem);
    return file;
  }
  if (elf.view->machine() != ElfView::k_machine_cuda) {
    file.problem = fmt::format("{} is an ELF file for another machine ({}) than a GPU",
                               path.filename().string(), elf.view->machine());
    return file;
  }
  file.bytes.assign(text.begin(), text.end());
  file.bytes.resize(text.size() + k_padding);
  return file;
}

}  // namespace kernelloop
