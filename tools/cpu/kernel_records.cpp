#include "cpu/kernel_records.hpp"

#include "cpu/cuda_rewriter.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kernelloop {

namespace {

constexpr std::size_t k_marker_bytes = 80;         // as in runtime/kernel_entry.hpp
constexpr std::uint64_t k_most_parameters = 4096;  // more than any kernel can have
constexpr std::uint64_t k_device_max_threads = 1024;

// The numbers of a record, one after the other.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t next() {
    std::uint64_t value = 0;
    if (bytes_.size() < sizeof value) fail(ExitCode::internal, "a kernel's record is cut short");
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }

 private:
  std::string_view bytes_;
};

KernelInfo read_record(std::string_view record, const std::string& name) {
  Numbers numbers(record);
  KernelInfo kernel;
  kernel.name = name;
  kernel.max_threads_per_block =
      static_cast<std::int64_t>(std::min(numbers.next(), k_device_max_threads));
  const std::uint64_t count = numbers.next();
  if (count > k_most_parameters) {
    fail(ExitCode::internal, "the record of kernel {} names {} parameters", name, count);
  }
  std::size_t offset = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t size = numbers.next();
    const std::size_t alignment = std::max<std::size_t>(numbers.next(), 1);
    offset = (offset + alignment - 1) / alignment * alignment;
    kernel.parameters.push_back({offset, size});
    offset += size;
  }
  return kernel;
}

}  // namespace

KernelTable read_kernel_records(std::string_view library, const std::vector<std::string>& names,
                                std::string_view key) {
  KernelTable table;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string marker = record_marker(key, i);
    marker.resize(k_marker_bytes, '\0');
    const std::size_t at = library.find(marker);
    if (at == std::string_view::npos) {
      fail(ExitCode::internal, "the built file has no record of kernel {}", names[i]);
    }
    table.push_back(read_record(library.substr(at + k_marker_bytes), names[i]));
  }
  return table;
}

}  // namespace kernelloop
