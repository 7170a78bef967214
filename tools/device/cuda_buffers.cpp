#include "device/cuda_buffers.hpp"

#include "device/guard_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace kernelloop {
namespace {

constexpr auto k_pattern_byte = std::to_integer<unsigned char>(k_guard_pattern);
constexpr std::size_t k_margin = 4096;  // of pattern on either side, where there is room
constexpr std::size_t k_usual_alignment = 256;

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

CUdeviceptr multiple_from(CUdeviceptr address, std::size_t unit) {
  return (address + unit - 1) / unit * unit;
}

bool can_fence(const CudaDriver& driver, CUdevice device) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value,
                                     CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                     device) == CUDA_SUCCESS &&
         value != 0;
}

bool fenced(Placement placement) {
  return placement == Placement::fence_begin || placement == Placement::fence_end;
}

}  // namespace

CudaBuffers::CudaBuffers(const CudaDriver& driver, CUdevice device, CudaHarness& harness,
                         const std::vector<SharedTensor>& tensors, std::int64_t workspace_bytes,
                         Placement placement, const CudaBuffers* copy)
    : driver_(driver),
      device_(device),
      harness_(harness),
      tensors_(tensors),
      placement_(fenced(placement) && !can_fence(driver, device) ? Placement::margins : placement),
      seed_(std::random_device()()) {
  for (const SharedTensor& tensor : tensors) {
    add(tensor.name, tensor.bytes, tensor.alignment);
    if (tensor.output || tensor.bytes == 0) continue;
    const CUdeviceptr data = buffers_.back().data;
    if (copy == nullptr) {
      harness_.staging().upload(data, tensor.data, tensor.bytes, harness_.stream());
      continue;
    }
    const CUdeviceptr other = copy->buffers_[buffers_.size() - 1].data;
    driver_.check(driver_.cuMemcpyDtoDAsync(data, other, tensor.bytes, harness_.stream()),
                  "copying an input");
  }
  add("workspace", static_cast<std::size_t>(workspace_bytes), k_workspace_alignment);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].output) continue;
    buffers_[i].hash = harness_.hash(buffers_[i].data, buffers_[i].bytes, seed_);
  }
  close_inputs();
}

void CudaBuffers::add(const std::string& name, std::size_t bytes, std::size_t alignment) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  if (placement_ == Placement::bare) {
    buffer.memory = allocate(driver_, bytes);
    buffer.data = buffer.memory.get();
  } else if (fenced(placement_)) {
    place_at_fence(buffer, alignment);
  } else {
    place_in_margins(buffer, alignment);
  }
  for (const Range& range : {buffer.before, buffer.behind}) {
    if (range.bytes == 0) continue;
    driver_.check(
        driver_.cuMemsetD8Async(range.address, k_pattern_byte, range.bytes, harness_.stream()),
        "writing the pattern around a tensor");
  }
  buffers_.push_back(std::move(buffer));
}

void CudaBuffers::place_in_margins(Buffer& buffer, std::size_t alignment) const {
  const bool least = placement_ == Placement::least_alignment;
  const std::size_t unit = least ? 2 * alignment : std::max(alignment, k_usual_alignment);
  buffer.memory = allocate(driver_, buffer.bytes + 2 * k_margin + 2 * unit);
  buffer.data = multiple_from(buffer.memory.get() + k_margin, unit) + (least ? alignment : 0);
  buffer.before = {buffer.data - k_margin, k_margin};
  buffer.behind = {buffer.data + buffer.bytes, k_margin};
}

void CudaBuffers::place_at_fence(Buffer& buffer, std::size_t alignment) const {
  const FencedLayout layout =
      fenced_layout(buffer.bytes, alignment, CudaFence::granularity(driver_, device_), placement_);
  buffer.fence.emplace(driver_, device_, layout.mapped);
  buffer.data = buffer.fence->data() + layout.offset;
  const std::size_t before = std::min(layout.offset, k_margin);
  buffer.before = {buffer.data - before, before};
  buffer.behind = {buffer.data + buffer.bytes, std::min(layout.behind, k_margin)};
}

// The hashes have waited for the uploads and patterns.
void CudaBuffers::close_inputs() {
  if (!fenced(placement_)) return;
  driver_.check(harness_.synchronize(), "uploading the inputs");
  read_only_ = true;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i].output && !buffers_[i].fence->make_read_only()) read_only_ = false;
  }
}

const char* CudaBuffers::input_protection() const noexcept {
  return read_only_ ? "read_only" : "hash";
}

CudaAddresses CudaBuffers::addresses() const {
  CudaAddresses result;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    result.tensors[tensors_[i].name] = buffers_[i].data;
  }
  result.workspace = buffers_.back().data;
  return result;
}

std::vector<BaselineTensor> CudaBuffers::for_baseline() const {
  std::vector<BaselineTensor> result;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    result.push_back({tensors_[i].name, tensors_[i].bytes,
                      reinterpret_cast<void*>(buffers_[i].data), tensors_[i].output});
  }
  return result;
}

std::map<std::string, std::uint64_t> CudaBuffers::named_addresses() const {
  std::map<std::string, std::uint64_t> result;
  for (const Buffer& buffer : buffers_) result[buffer.name] = buffer.data;
  return result;
}

void CudaBuffers::poison(const Poison& poison) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if ((i < tensors_.size() && !tensors_[i].output) || buffers_[i].bytes == 0) continue;
    // Each copy doubles what is there, a whole number of periods.
    std::vector<std::byte> start(std::min(buffers_[i].bytes, poison.period()));
    poison.fill(start);
    const CUdeviceptr data = buffers_[i].data;
    if (!poison.is_noise()) {
      driver_.check(driver_.cuMemsetD8Async(data, static_cast<unsigned char>(poison.value()),
                                            buffers_[i].bytes, harness_.stream()),
                    "poisoning an output");
      continue;
    }
    driver_.check(driver_.cuMemcpyHtoDAsync(data, start.data(), start.size(), harness_.stream()),
                  "poisoning an output");
    for (std::size_t done = start.size(); done < buffers_[i].bytes; done *= 2) {
      driver_.check(
          driver_.cuMemcpyDtoDAsync(data + done, data, std::min(done, buffers_[i].bytes - done),
                                    harness_.stream()),
          "poisoning an output");
    }
  }
}

std::vector<std::byte> CudaBuffers::read(const Range& range) const {
  std::vector<std::byte> bytes(range.bytes);
  if (bytes.empty()) return bytes;
  driver_.check(
      driver_.cuMemcpyDtoHAsync(bytes.data(), range.address, range.bytes, harness_.stream()),
      "reading the pattern around a tensor");
  driver_.check(harness_.synchronize(), "reading the pattern around a tensor");
  return bytes;
}

Fault CudaBuffers::damage() {
  for (const Buffer& buffer : buffers_) {
    if (const std::size_t size = damage_behind(read(buffer.behind)); size > 0) {
      return {FaultKind::illegal_access,
              fmt::format("wrote past the end of '{}' ({} bytes) by {}{} bytes", buffer.name,
                          buffer.bytes, size == k_margin ? "at least " : "", size)};
    }
    if (const std::size_t size = damage_before(read(buffer.before)); size > 0) {
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

std::uint64_t CudaBuffers::hash_of_outputs(std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].output) hash = harness_.hash(buffers_[i].data, buffers_[i].bytes, hash);
  }
  return hash;
}

void CudaBuffers::download_outputs() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i].output || tensors_[i].bytes == 0) continue;
    harness_.staging().download(tensors_[i].data, buffers_[i].data, tensors_[i].bytes,
                                harness_.stream());
  }
}

}  // namespace kernelloop
