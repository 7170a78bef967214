#include "device/tensor_arena.hpp"

#include "support/error.hpp"
#include "support/memory_block.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace kernelloop {
namespace {

constexpr std::size_t k_alignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + k_alignment - 1) / k_alignment * k_alignment;
}

// The first number of a line that starts with `key`, or of the file when `key` is empty.
std::optional<std::size_t> number_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t digit = line.find_first_of("0123456789");
    if (digit == std::string::npos) return std::nullopt;  // "max"
    return static_cast<std::size_t>(std::strtoull(line.c_str() + digit, nullptr, 10));
  }
  return std::nullopt;
}

// What can be taken without swapping or being killed. A memory file has no limit of its own: the
// kernel would go on until it kills someone.
std::size_t available_memory() {
  std::size_t available = ~std::size_t{0};
  if (const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:")) {
    available = *kibibytes * 1024;
  }
  const auto limit = number_in("/sys/fs/cgroup/memory.max", "");
  const auto used = number_in("/sys/fs/cgroup/memory.current", "");
  if (limit && used) available = std::min(available, *limit - std::min(*limit, *used));
  return available;
}

// Memory with all its pages, mapped: a lack of memory is an error here and no SIGBUS later.
Mapping shared_memory(const char* name, std::size_t size, Descriptor& memory) {
  const std::size_t available = available_memory();
  if (size <= available) memory = Descriptor(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.open() && ::ftruncate(memory.get(), static_cast<off_t>(size)) == 0) {
    Mapping mapping(memory.get(), size, true);
    // All cores make the pages; what they could not make, one does.
    if (size == 0 || mapping.populated() ||
        ::posix_fallocate(memory.get(), 0, static_cast<off_t>(size)) == 0) {
      return mapping;
    }
  }
  fail(ExitCode::io,
       "cannot get {} MiB of memory for the tensors ({} MiB are available); use smaller shapes",
       (size >> 20) + 1, available >> 20);
}

struct Layout {
  std::vector<TensorPlace> places;
  std::size_t input_size = 0;
  std::size_t output_size = 0;
};

Layout layout_of(const std::vector<TensorArena::Slot>& slots) {
  Layout layout;
  for (const TensorArena::Slot& slot : slots) {
    std::size_t& size = slot.output ? layout.output_size : layout.input_size;
    layout.places.push_back({slot.name, size, slot.bytes, slot.output, slot.alignment});
    size += aligned(slot.bytes);
  }
  return layout;
}

}  // namespace

Mapping::Mapping(int descriptor, std::size_t size, bool writable) : size_(size) {
  if (size == 0) return;
  void* address = ::mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                         descriptor, 0);
  if (address == MAP_FAILED) {
    fail(ExitCode::io, "cannot map {} bytes of tensors: {}", size, std::strerror(errno));
  }
  data_ = static_cast<std::byte*>(address);
  // Far cheaper than a fault for each page.
  populated_ = populate({data_, size}, writable);
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      populated_(other.populated_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(populated_, other.populated_);
  return *this;
}

TensorArena::TensorArena(const std::vector<Slot>& slots) : state_(std::make_unique<State>()) {
  State& state = *state_;
  const Layout layout = layout_of(slots);
  state.places = layout.places;
  state.input_size = layout.input_size;
  state.output_size = layout.output_size;
  state.inputs = shared_memory("kernelloop-inputs", state.input_size, state.input_memory);
  state.outputs = shared_memory("kernelloop-outputs", state.output_size, state.output_memory);
  // Our own writable mapping stays; nobody gets another one. Kernels before 5.1 lack the seal.
  ::fcntl(state.input_memory.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
  ::fcntl(state.output_memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
}

bool TensorArena::reslice(const std::vector<Slot>& slots) {
  Layout layout = layout_of(slots);
  if (layout.input_size > state_->input_size || layout.output_size > state_->output_size) {
    return false;
  }
  state_->places = std::move(layout.places);
  return true;
}

std::size_t TensorArena::capacity() const noexcept {
  return state_->input_size + state_->output_size;
}

TensorArena::~TensorArena() = default;
TensorArena::TensorArena(TensorArena&&) noexcept = default;
TensorArena& TensorArena::operator=(TensorArena&&) noexcept = default;

std::span<std::byte> TensorArena::bytes(const std::string& name) const {
  for (const TensorPlace& place : state_->places) {
    if (place.name != name) continue;
    std::byte* base = place.output ? state_->outputs.data() : state_->inputs.data();
    return place.bytes == 0 ? std::span<std::byte>() : std::span(base + place.offset, place.bytes);
  }
  fail(ExitCode::internal, "the arena holds no tensor '{}'", name);
}

}  // namespace kernelloop
