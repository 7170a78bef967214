#include "device/cuda_fence.hpp"

#include "device/cuda_objects.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

CUmemAllocationProp memory_of(CUdevice device) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = device;
  return wanted;
}

}  // namespace

std::size_t CudaFence::granularity(const CudaDriver& driver, CUdevice device) {
  const CUmemAllocationProp wanted = memory_of(device);
  std::size_t unit = 0;
  driver.check(
      driver.cuMemGetAllocationGranularity(&unit, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
      "asking for the granularity of device memory");
  return unit;
}

CudaFence::CudaFence(const CudaDriver& driver, CUdevice device, std::size_t bytes)
    : driver_(&driver), device_(device), bytes_(bytes) {
  const std::size_t unit = granularity(driver, device);
  const std::size_t hole = (k_hole + unit - 1) / unit * unit;
  const CUmemAllocationProp wanted = memory_of(device);
  reserved_ = bytes + 2 * hole;
  try {
    driver.check(driver.cuMemAddressReserve(&range_, reserved_, 0, 0, 0),
                 "reserving addresses for a fenced tensor");
    const CUresult code = driver.cuMemCreate(&memory_, bytes, &wanted, 0);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) fail_without_memory(driver, bytes);
    driver.check(code, "creating memory for a fenced tensor");
    created_ = true;
    mapped_ = range_ + hole;
    driver.check(driver.cuMemMap(mapped_, bytes, 0, memory_, 0), "mapping a fenced tensor");
    is_mapped_ = true;
    driver.check(set_access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), "opening a fenced tensor");
  } catch (...) {
    release();
    throw;
  }
}

CudaFence::~CudaFence() { release(); }

CudaFence::CudaFence(CudaFence&& other) noexcept
    : driver_(other.driver_),
      device_(other.device_),
      bytes_(other.bytes_),
      reserved_(other.reserved_),
      range_(std::exchange(other.range_, 0)),
      mapped_(other.mapped_),
      memory_(other.memory_),
      created_(std::exchange(other.created_, false)),
      is_mapped_(std::exchange(other.is_mapped_, false)) {}

CUresult CudaFence::set_access(CUmemAccess_flags flags) const {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device_;
  access.flags = flags;
  return driver_->cuMemSetAccess(mapped_, bytes_, &access, 1);
}

bool CudaFence::make_read_only() {
  if (set_access(CU_MEM_ACCESS_FLAGS_PROT_READ) == CUDA_SUCCESS) return true;
  driver_->check(set_access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), "reopening a fenced tensor");
  return false;
}

void CudaFence::release() noexcept {
  if (is_mapped_) driver_->cuMemUnmap(mapped_, bytes_);
  if (created_) driver_->cuMemRelease(memory_);
  if (range_ != 0) driver_->cuMemAddressFree(range_, reserved_);
}

}  // namespace kernelloop
