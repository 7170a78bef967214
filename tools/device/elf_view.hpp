// A 64-bit ELF file in memory whose headers have been checked against its size.
//
// The CUDA driver trusts the headers of a cubin: a damaged one can crash or hang the process that
// loads it. So nothing is loaded that has not been looked at here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

class ElfView {
 public:
  static constexpr std::uint16_t k_machine_cuda = 190;

  // Why `bytes` is not a whole ELF file, in words; or the view. It refers to `bytes`.
  struct Result;
  static Result open(std::span<const std::byte> bytes);

  [[nodiscard]] std::uint16_t machine() const noexcept { return machine_; }
  // The shared libraries that it needs (DT_NEEDED).
  [[nodiscard]] std::vector<std::string> needed() const;
  // Where the file has them looked for (DT_RUNPATH and DT_RPATH), each directory by itself.
  [[nodiscard]] std::vector<std::string> run_path() const;

 private:
  // The strings of the dynamic entries that are tagged so.
  [[nodiscard]] std::vector<std::string> dynamic_strings(std::int64_t tag) const;

  struct Section {
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t link = 0;
    std::uint64_t entry_size = 0;
  };
  std::span<const std::byte> bytes_;
  std::uint16_t machine_ = 0;
  std::vector<Section> sections_;
};

struct ElfView::Result {
  std::optional<ElfView> view;
  std::string problem;  // when there is no view
};

}  // namespace kernelloop
