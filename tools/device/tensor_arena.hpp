// The two shared memories behind a TensorArena, and how a worker maps them.
//
// Inputs and outputs live in memories of their own: the one with the inputs is sealed, so that a
// worker can map it for reading only and a candidate cannot change what the parent checks against.
#pragma once

#include "device/worker_client.hpp"
#include "support/descriptor.hpp"

#include <sys/mman.h>

namespace kernelloop {

// A range of memory mapped into this process.
class Mapping {
 public:
  Mapping() = default;
  // Throws Error(io). A size of 0 maps nothing.
  Mapping(int descriptor, std::size_t size, bool writable);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  // Whether its pages are known to be there; else the first touch of each may be slow, or fail.
  [[nodiscard]] bool populated() const noexcept { return populated_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool populated_ = false;
};

// Where a tensor lies in the memory of the inputs or in that of the outputs.
struct TensorPlace {
  std::string name;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  bool output = false;
  std::size_t alignment = 16;
};

struct TensorArena::State {
  std::vector<TensorPlace> places;
  std::size_t input_size = 0;  // of the memory; the places may need less
  std::size_t output_size = 0;
  Descriptor input_memory;
  Descriptor output_memory;
  Mapping inputs;
  Mapping outputs;
};

}  // namespace kernelloop
