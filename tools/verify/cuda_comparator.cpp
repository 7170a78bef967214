#include "verify/cuda_comparator.hpp"

#include "device/embedded_image.hpp"
#include "verify/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

KERNELLOOP_EMBED_IMAGE(kernelloop_comparator_image, KERNELLOOP_COMPARATOR_IMAGE);

namespace kernelloop {
namespace {

std::string kernel_name(CudaElement element, std::int64_t unit) {
  const char* team = unit <= k_longest_warp_unit ? "warps" : "blocks";
  const char* type = "other";
  if (element == CudaElement::bfloat16) type = "bfloat16";
  if (element == CudaElement::float16) type = "float16";
  if (element == CudaElement::float32) type = "float32";
  return fmt::format("kernelloop_compare_{}_{}", team, type);
}

CudaElement element_of(DType type) {
  switch (type) {
    case DType::float64:
      return CudaElement::float64;
    case DType::float32:
      return CudaElement::float32;
    case DType::float16:
      return CudaElement::float16;
    case DType::bfloat16:
      return CudaElement::bfloat16;
    case DType::float8_e4m3:
      return CudaElement::float8_e4m3;
    case DType::float8_e5m2:
      return CudaElement::float8_e5m2;
    case DType::int64:
      return CudaElement::int64;
    case DType::int32:
      return CudaElement::int32;
    case DType::int8:
      return CudaElement::int8;
    case DType::uint8:
      return CudaElement::uint8;
    case DType::boolean:
      return CudaElement::boolean;
  }
  return CudaElement::boolean;
}

void reserve(const CudaDriver& driver, CudaMemory& memory, std::size_t& has, std::size_t bytes) {
  if (bytes <= has) return;
  has = 0;
  memory = CudaMemory();
  memory = allocate(driver, bytes);
  has = bytes;
}

}  // namespace

CudaComparator::CudaComparator(const CudaDriver& driver)
    : driver_(driver), parts_(allocate(driver, k_comparator_blocks * sizeof(CudaPart))) {
  CUlibrary library = nullptr;
  driver.check(driver.cuLibraryLoadData(&library, kernelloop_comparator_image, nullptr, nullptr, 0,
                                        nullptr, nullptr, 0),
               "loading the comparator's kernels");
  library_ = CudaLibrary(driver, library);
}

CUkernel CudaComparator::find(const char* name) const {
  CUkernel kernel = nullptr;
  driver_.check(driver_.cuLibraryGetKernel(&kernel, library_.get(), name), name);
  return kernel;
}

void CudaComparator::measure_cut_slabs(CudaComparison& job, unsigned int blocks, CUstream stream) {
  const auto slabs = static_cast<std::size_t>(job.count / job.slab);
  reserve(driver_, units_, units_bytes_,
          slabs * static_cast<std::size_t>(job.units_per_slab) * sizeof(ScaleSums));
  reserve(driver_, slab_rms_, slab_rms_bytes_, slabs * sizeof(double));
  CUdeviceptr units = units_.get();
  CUdeviceptr parts = parts_.get();
  CUdeviceptr slab_rms = slab_rms_.get();
  std::array<void*, 3> measured{&job, &units, &parts};
  launch(driver_, find("kernelloop_measure_units"), {blocks, k_comparator_threads, stream},
         measured.data());
  std::array<void*, 3> rooted{&job, &units, &slab_rms};
  const auto of_slabs =
      static_cast<unsigned int>(std::min<std::size_t>(slabs, k_comparator_blocks));
  launch(driver_, find("kernelloop_slab_rms"), {of_slabs, k_comparator_threads, stream},
         rooted.data());
  job.slab_rms = reinterpret_cast<const double*>(slab_rms);
}

void CudaComparator::enqueue(const Output& output, const ErrorModel& model, CUstream stream) {
  CudaComparison job;
  job.candidate = reinterpret_cast<const void*>(output.candidate);
  job.reference = reinterpret_cast<const double*>(output.reference);
  job.magnitude = reinterpret_cast<const double*>(output.magnitude);
  job.count = 1;
  for (const std::int64_t axis : output.shape) job.count *= axis;
  job.slab = slab_length(output.shape, job.count);
  job.unit = std::min(job.slab, k_longest_unit);
  job.units_per_slab = (job.slab + job.unit - 1) / job.unit;
  job.element = element_of(output.type);
  job.with = yardsticks_of(output.type, model);

  scale_ = ReferenceScale();
  scale_.count = job.count;
  scale_.slab = job.slab;
  blocks_ = 0;
  if (job.count == 0) return;
  const std::int64_t units = job.count / job.slab * job.units_per_slab;
  const std::int64_t at_once =
      job.unit <= k_longest_warp_unit ? std::int64_t{k_comparator_threads / 32} : 1;
  blocks_ = static_cast<unsigned int>(
      std::min<std::int64_t>((units + at_once - 1) / at_once, k_comparator_blocks));
  // The comparing kernels overwrite the parts; those of a cut slab's measuring come before.
  if (job.units_per_slab > 1) measure_cut_slabs(job, blocks_, stream);
  CUdeviceptr parts = parts_.get();
  std::array<void*, 2> arguments{&job, &parts};
  launch(driver_, find(kernel_name(job.element, job.unit).c_str()),
         {blocks_, k_comparator_threads, stream}, arguments.data());
}

CudaComparator::Result CudaComparator::collect(CUstream stream) {
  std::vector<CudaPart> parts(blocks_);
  if (blocks_ != 0) {
    driver_.check(driver_.cuMemcpyDtoHAsync(parts.data(), parts_.get(),
                                            parts.size() * sizeof(CudaPart), stream),
                  "reading a comparison");
  }
  driver_.check(driver_.cuStreamSynchronize(stream), "comparing");
  CudaPart total;
  for (const CudaPart& part : parts) {
    total.panel.add(part.panel);
    total.scale.add(part.scale);
  }
  scale_.largest = total.scale.largest;
  scale_.first_nan = total.scale.first_nan;
  scale_.rms = total.scale.root_mean();
  return {metrics_of(total.panel, scale_), scale_};
}

CudaComparator::Result CudaComparator::compare(const Output& output, const ErrorModel& model,
                                               CUstream stream) {
  enqueue(output, model, stream);
  return collect(stream);
}

}  // namespace kernelloop
