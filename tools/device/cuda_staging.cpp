#include "device/cuda_staging.hpp"

#include "support/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kernelloop {
namespace {

constexpr std::size_t k_half_bytes = std::size_t{16} << 20;
// Below this, the driver's way is as fast.
constexpr std::size_t k_small_bytes = std::size_t{4} << 20;
constexpr std::int64_t k_piece_bytes = std::int64_t{1} << 20;  // of a core at a time
constexpr std::size_t k_most_cores = 8;                        // more do not fill memory faster

}  // namespace

void CudaStaging::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  const std::int64_t pieces = (size + k_piece_bytes - 1) / k_piece_bytes;
  crew_->run(pieces, [&](std::int64_t piece) {
    const std::int64_t begin = piece * k_piece_bytes;
    std::memcpy(to + begin, from + begin,
                static_cast<std::size_t>(std::min(k_piece_bytes, size - begin)));
  });
}

void CudaStaging::prepare() {
  if (!crew_) crew_ = std::make_unique<Crew>(std::min(core_count(), k_most_cores));
  for (Half& half : halves_) {
    if (half.memory.get() != nullptr) continue;
    half.memory = allocate_pinned(driver_, k_half_bytes);
    half.copied = make_event(driver_);
  }
}

void CudaStaging::wait(const Half& half) const {
  if (half.used) driver_.check(driver_.cuEventSynchronize(half.copied.get()), "copying a tensor");
}

void CudaStaging::record(Half& half, CUstream stream) const {
  driver_.check(driver_.cuEventRecord(half.copied.get(), stream), "copying a tensor");
  half.used = true;
}

void CudaStaging::upload(CUdeviceptr to, const std::byte* from, std::size_t bytes,
                         CUstream stream) {
  if (bytes < k_small_bytes) {
    driver_.check(driver_.cuMemcpyHtoDAsync(to, from, bytes, stream), "uploading an input");
    return;
  }
  prepare();
  for (std::size_t begin = 0, turn = 0; begin < bytes; begin += k_half_bytes, ++turn) {
    Half& half = halves_[turn % 2];
    const std::size_t size = std::min(k_half_bytes, bytes - begin);
    wait(half);
    copy(half.data(), from + begin, size);
    driver_.check(driver_.cuMemcpyHtoDAsync(to + begin, half.data(), size, stream),
                  "uploading an input");
    record(half, stream);
  }
}

void CudaStaging::download(std::byte* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (bytes < k_small_bytes) {
    driver_.check(driver_.cuMemcpyDtoHAsync(to, from, bytes, stream), "downloading an output");
    driver_.check(driver_.cuStreamSynchronize(stream), "downloading an output");
    return;
  }
  prepare();
  const auto fetch = [&](std::size_t begin, std::size_t turn) {
    if (begin >= bytes) return;
    Half& half = halves_[turn % 2];
    driver_.check(driver_.cuMemcpyDtoHAsync(half.data(), from + begin,
                                            std::min(k_half_bytes, bytes - begin), stream),
                  "downloading an output");
    record(half, stream);
  };
  fetch(0, 0);
  for (std::size_t begin = 0, turn = 0; begin < bytes; begin += k_half_bytes, ++turn) {
    fetch(begin + k_half_bytes, turn + 1);
    const Half& half = halves_[turn % 2];
    wait(half);
    copy(to + begin, half.data(), std::min(k_half_bytes, bytes - begin));
  }
}

}  // namespace kernelloop
