#include "device/cuda_buffers.hpp"

#include "device/guard_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace kernelloop {
namespace {

constexpr auto k_pattern_byte = std::to_integer<unsigned char>(k_guard_pattern);
constexpr std::size_t k_margin = 4096;  // of pattern on either side

// The length of the damaged part, counted from the tensor.
std::size_t damage_behind(const std::vector<std::byte>& margin) {
  const auto last = std::find_if(margin.rbegin(), margin.rend(),
                                 [](std::byte value) { return value != k_guard_pattern; });
  return static_cast<std::size_t>(std::distance(last, margin.rend()));
}

std::size_t damage_before(const std::vector<std::byte>& margin) {
  const auto first = std::find_if(margin.begin(), margin.end(),
                                  [](std::byte value) { return value != k_guard_pattern; });
  return static_cast<std::size_t>(std::distance(first, margin.end()));
}

}  // namespace

CudaBuffers::CudaBuffers(const CudaDriver& driver, CudaHarness& harness,
                         const std::vector<SharedTensor>& tensors, std::int64_t workspace_bytes)
    : driver_(driver), harness_(harness), tensors_(tensors), seed_(std::random_device()()) {
  for (const SharedTensor& tensor : tensors) {
    add(tensor.name, tensor.bytes);
    if (tensor.output || tensor.bytes == 0) continue;
    driver_.check(driver_.cuMemcpyHtoDAsync(buffers_.back().data, tensor.data, tensor.bytes,
                                            harness_.stream()),
                  "uploading an input");
  }
  add("workspace", static_cast<std::size_t>(workspace_bytes));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].output) continue;
    buffers_[i].hash = harness_.hash(buffers_[i].data, buffers_[i].bytes, seed_);
  }
}

void CudaBuffers::add(const std::string& name, std::size_t bytes) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  buffer.total = bytes + 2 * k_margin;
  buffer.memory = allocate(driver_, buffer.total);
  buffer.data = buffer.memory.get() + k_margin;
  driver_.check(
      driver_.cuMemsetD8Async(buffer.memory.get(), k_pattern_byte, k_margin, harness_.stream()),
      "writing the pattern around a tensor");
  driver_.check(
      driver_.cuMemsetD8Async(buffer.data + bytes, k_pattern_byte, k_margin, harness_.stream()),
      "writing the pattern around a tensor");
  buffers_.push_back(std::move(buffer));
}

CudaAddresses CudaBuffers::addresses() const {
  CudaAddresses result;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    result.tensors[tensors_[i].name] = buffers_[i].data;
  }
  result.workspace = buffers_.back().data;
  return result;
}

void CudaBuffers::poison(std::byte value) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if ((i < tensors_.size() && !tensors_[i].output) || buffers_[i].bytes == 0) continue;
    driver_.check(driver_.cuMemsetD8Async(buffers_[i].data, static_cast<unsigned char>(value),
                                          buffers_[i].bytes, harness_.stream()),
                  "poisoning an output");
  }
}

Fault CudaBuffers::damage() {
  std::vector<std::byte> before(k_margin);
  std::vector<std::byte> behind(k_margin);
  for (const Buffer& buffer : buffers_) {
    driver_.check(
        driver_.cuMemcpyDtoHAsync(before.data(), buffer.memory.get(), k_margin, harness_.stream()),
        "reading the pattern around a tensor");
    driver_.check(driver_.cuMemcpyDtoHAsync(behind.data(), buffer.data + buffer.bytes, k_margin,
                                            harness_.stream()),
                  "reading the pattern around a tensor");
    driver_.check(harness_.synchronize(), "reading the pattern around a tensor");
    if (const std::size_t size = damage_behind(behind); size > 0) {
      return {FaultKind::illegal_access,
              fmt::format("wrote past the end of '{}' ({} bytes) by {}{} bytes", buffer.name,
                          buffer.bytes, size == k_margin ? "at least " : "", size)};
    }
    if (const std::size_t size = damage_before(before); size > 0) {
      return {FaultKind::illegal_access,
              fmt::format("wrote {}{} bytes before the start of '{}' ({} bytes)",
                          size == k_margin ? "at least " : "", size, buffer.name, buffer.bytes)};
    }
  }
  return {};
}

std::vector<std::string> CudaBuffers::changed_inputs() {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (!tensors_[i].output && harness_.hash(buffer.data, buffer.bytes, seed_) != buffer.hash) {
      result.push_back(buffer.name);
    }
  }
  return result;
}

void CudaBuffers::download_outputs() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i].output || tensors_[i].bytes == 0) continue;
    driver_.check(driver_.cuMemcpyDtoHAsync(tensors_[i].data, buffers_[i].data, tensors_[i].bytes,
                                            harness_.stream()),
                  "downloading an output");
  }
  driver_.check(harness_.synchronize(), "downloading the outputs");
}

}  // namespace kernelloop
