#include "device/cuda_staging.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace kernelloop {
namespace {

class GpuStaging : public testing::Test {
 protected:
  void SetUp() override {
    try {
      driver_ = std::make_unique<CudaDriver>(CudaDriver::load());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    CUdevice device = 0;
    driver_->check(driver_->cuDeviceGet(&device, 0), "choosing a GPU");
    context_ = std::make_unique<CudaContext>(*driver_, device);
  }

  std::unique_ptr<CudaDriver> driver_;
  std::unique_ptr<CudaContext> context_;
};

TEST_F(GpuStaging, WhatGoesUpComesDown) {
  const CudaStream stream = make_stream(*driver_);
  CudaStaging staging(*driver_);
  std::mt19937_64 random(1);
  constexpr std::size_t k_mebibyte = std::size_t{1} << 20;
  for (const std::size_t bytes :
       {std::size_t{1}, 4 * k_mebibyte - 1, 4 * k_mebibyte, 16 * k_mebibyte, 16 * k_mebibyte + 1,
        32 * k_mebibyte - 3, 100 * k_mebibyte + 12345}) {
    const CudaMemory memory = allocate(*driver_, bytes);
    std::vector<std::byte> up(bytes);
    for (std::byte& value : up) value = static_cast<std::byte>(random());
    const std::vector<std::byte> kept = up;
    staging.upload(memory.get(), up.data(), bytes, stream.get());
    // It may change as soon as the call returns.
    up.assign(bytes, std::byte{0});
    std::vector<std::byte> down(bytes);
    staging.download(down.data(), memory.get(), bytes, stream.get());
    EXPECT_TRUE(down == kept) << bytes;
  }
}

TEST_F(GpuStaging, UploadsInTurnDoNotMix) {
  const CudaStream stream = make_stream(*driver_);
  CudaStaging staging(*driver_);
  constexpr std::size_t k_bytes = std::size_t{40} << 20;
  std::vector<CudaMemory> memories;
  for (int i = 0; i < 4; ++i) {
    const std::vector<std::byte> data(k_bytes, static_cast<std::byte>(i + 1));
    memories.push_back(allocate(*driver_, k_bytes));
    staging.upload(memories.back().get(), data.data(), k_bytes, stream.get());
  }
  for (int i = 0; i < 4; ++i) {
    std::vector<std::byte> down(k_bytes);
    staging.download(down.data(), memories[static_cast<std::size_t>(i)].get(), k_bytes,
                     stream.get());
    EXPECT_TRUE(down == std::vector<std::byte>(k_bytes, static_cast<std::byte>(i + 1))) << i;
  }
}

}  // namespace
}  // namespace kernelloop
