// The comparator on the GPU against the one on the CPU, on random outputs with planted faults.
#include "device/cuda_driver.hpp"
#include "support/error.hpp"
#include "verify/cuda_comparator.hpp"
#include "verify/elements.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace kernelloop {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

struct HostOutput {
  DType type = DType::bfloat16;
  std::vector<std::int64_t> shape;
  std::vector<double> reference;
  std::vector<double> magnitude;
  std::vector<std::byte> candidate;
  ErrorModel model;

  void set(std::size_t i, double value) {
    store_element(type, value, candidate.data() + i * info(type).size);
  }
};

HostOutput random_output(DType type, const std::vector<std::int64_t>& shape, bool magnitude_given) {
  HostOutput output;
  output.type = type;
  output.shape = shape;
  output.model.output_roundoff = info(type).unit_roundoff;
  output.model.accumulated = 0x1p-18;
  output.model.underflow = 0x1p-126;
  output.model.output_underflow = 0x1p-126;
  output.model.amplification = 1.5;
  const std::int64_t count =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  output.candidate.resize(static_cast<std::size_t>(count) * info(type).size);
  std::mt19937_64 random(static_cast<std::uint64_t>(count) + (magnitude_given ? 1 : 0));
  std::normal_distribution<double> normal(0.0, info(type).floating ? 1.0 : 40.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double value = i % 13 == 12 ? 0.0 : normal(random) * (i / 1000 % 3 == 0 ? 1e-2 : 1.0);
    output.reference.push_back(value);
    if (magnitude_given) output.magnitude.push_back(std::fabs(value) + std::fabs(normal(random)));
    output.set(i, value * (1.0 + 1e-4 * normal(random)));
  }
  return output;
}

// NaN and infinity on either side and on both, and references beyond most types.
void plant_faults(HostOutput& output) {
  const std::size_t count = output.reference.size();
  for (std::size_t i = 3; i < count; i += 997) output.set(i, i % 2 == 0 ? k_nan : k_inf);
  for (std::size_t i = 6; i < count; i += 889) output.reference[i] = i % 2 == 0 ? -k_inf : k_nan;
  for (std::size_t i = 6; i < count; i += 1778) output.set(i, -k_inf);
  for (std::size_t i = 9; i < count; i += 50000) output.reference[i] = 1e39;
}

class GpuComparator : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      driver_ = CudaDriver::load();
      CUdevice device = 0;
      driver_.check(driver_.cuDeviceGet(&device, 0), "choosing a GPU");
      context_.emplace(driver_, device);
      stream_ = make_stream(driver_);
      comparator_.emplace(driver_);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  template <typename T>
  CudaMemory upload(const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    CudaMemory memory = allocate(driver_, bytes);
    if (bytes == 0) return memory;
    driver_.check(driver_.cuMemcpyHtoDAsync(memory.get(), values.data(), bytes, stream_.get()),
                  "uploading");
    driver_.check(driver_.cuStreamSynchronize(stream_.get()), "uploading");
    return memory;
  }

  CudaComparator::Result on_gpu(const HostOutput& output) {
    const CudaMemory candidate = upload(output.candidate);
    const CudaMemory reference = upload(output.reference);
    const CudaMemory magnitude = upload(output.magnitude);
    CudaComparator::Output there;
    there.type = output.type;
    there.candidate = candidate.get();
    there.reference = reference.get();
    there.magnitude = output.magnitude.empty() ? 0 : magnitude.get();
    there.shape = output.shape;
    return comparator_->compare(there, output.model, stream_.get());
  }

  void expect_same(const HostOutput& output) {
    std::string what{info(output.type).name};
    for (const std::int64_t axis : output.shape) what += " " + std::to_string(axis);
    SCOPED_TRACE(what + (output.magnitude.empty() ? "" : " with magnitudes"));
    const DTypeInfo& type = info(output.type);
    const double largest = type.floating ? type.largest : std::numeric_limits<double>::max();
    const ReferenceScale scale = scale_of(output.reference, output.shape, 1, largest);
    const Metrics want = compare(output.type, output.candidate.data(), output.reference, scale,
                                 TermMagnitude(scale, output.magnitude, 1.5), output.model);
    const auto [have, have_scale] = on_gpu(output);
    EXPECT_EQ(have.compared, want.compared);
    EXPECT_EQ(have.nonfinite, want.nonfinite);
    EXPECT_EQ(have.unexpected_nan, want.unexpected_nan);
    EXPECT_EQ(have.first_nan, want.first_nan);
    EXPECT_EQ(have.worst, want.worst);
    EXPECT_EQ(have.max_abs, want.max_abs);
    EXPECT_EQ(have.max_ulp, want.max_ulp);
    EXPECT_EQ(have_scale.largest, scale.largest);
    EXPECT_EQ(have_scale.first_nan, scale.first_nan);
    EXPECT_EQ(have_scale.count, scale.count);
    EXPECT_EQ(have_scale.slab, scale.slab);
    const auto expect_close = [](const char* name, double value, double wanted) {
      if (value == wanted) return;
      EXPECT_NEAR(value, wanted, 1e-11 * std::fabs(wanted)) << name;
    };
    expect_close("rms", have_scale.rms, scale.rms);
    expect_close("max_rel", have.max_rel, want.max_rel);
    expect_close("mae", have.mae, want.mae);
    expect_close("mse", have.mse, want.mse);
    expect_close("rmse", have.rmse, want.rmse);
    expect_close("psnr", have.psnr, want.psnr);
    expect_close("cosine", have.cosine, want.cosine);
    expect_close("normwise", have.normwise, want.normwise);
    expect_close("elementwise", have.elementwise, want.elementwise);
    expect_close("widest_bound", have.widest_bound, want.widest_bound);
    expect_close("widest_relative_bound", have.widest_relative_bound, want.widest_relative_bound);
    expect_close("term_rms", have.term_rms, want.term_rms);
    expect_close("rounding", have.rounding, want.rounding);
    expect_close("factor", have.factor, want.factor);
    // A difference of sums that are nearly equal.
    EXPECT_NEAR(have.factor_residual, want.factor_residual, 1e-6);
  }

  CudaDriver driver_;
  std::optional<CudaContext> context_;
  CudaStream stream_;
  std::optional<CudaComparator> comparator_;
};

// Slabs of a warp, of a block, and longer than a unit; whole outputs that are one slab.
const std::vector<std::vector<std::int64_t>> k_output_shapes = {
    {1},        {7, 5},    {40, 64},   {33, 65},    {300, 1000}, {100, 1024}, {50, 1025},
    {11, 8192}, {9, 8193}, {2, 70001}, {5, 3, 128}, {200001},    {3, 1000003}};

TEST_F(GpuComparator, AgreesWithTheCpuForEveryShape) {
  for (const DType type : {DType::bfloat16, DType::float16, DType::float32}) {
    for (const auto& shape : k_output_shapes) {
      for (const bool magnitude_given : {false, true}) {
        HostOutput output = random_output(type, shape, magnitude_given);
        expect_same(output);
        plant_faults(output);
        expect_same(output);
      }
    }
  }
}

TEST_F(GpuComparator, AgreesWithTheCpuForEveryType) {
  for (const std::string& name : dtype_names()) {
    HostOutput output = random_output(*parse_dtype(name), {33, 2000}, false);
    expect_same(output);
    plant_faults(output);
    expect_same(output);
  }
}

TEST_F(GpuComparator, ReadsEveryCodeOfTheSmallTypesAsTheCpuDoes) {
  for (const DType type :
       {DType::bfloat16, DType::float16, DType::float8_e4m3, DType::float8_e5m2, DType::int8}) {
    const std::size_t size = info(type).size;
    HostOutput output;
    output.type = type;
    output.candidate.resize((std::size_t{1} << (8 * size)) * size);
    for (std::size_t code = 0; code < output.candidate.size() / size; ++code) {
      output.candidate[code * size] = static_cast<std::byte>(code & 0xFFu);
      if (size == 2) output.candidate[code * size + 1] = static_cast<std::byte>(code >> 8);
      output.reference.push_back(load_element(type, output.candidate.data() + code * size));
    }
    output.shape = {static_cast<std::int64_t>(output.reference.size())};
    const Metrics metrics = on_gpu(output).metrics;
    EXPECT_EQ(metrics.max_abs, 0.0) << info(type).name;
    EXPECT_EQ(metrics.nonfinite, 0) << info(type).name;
    EXPECT_EQ(metrics.worst, 0) << info(type).name;
  }
}

TEST_F(GpuComparator, FindsOneWrongElementWhereverItIs) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{200, 640}, {64, 2000}, {8, 16000}}) {
    for (const std::size_t place : {0u, 31u, 32u, 639u, 640u, 65535u, 100001u, 127999u}) {
      HostOutput output = random_output(DType::bfloat16, shape, false);
      output.set(place, 100.0);
      EXPECT_EQ(on_gpu(output).metrics.worst, static_cast<std::int64_t>(place));
      expect_same(output);
    }
  }
}

TEST_F(GpuComparator, OfEquallyWrongElementsNamesTheFirst) {
  HostOutput output = random_output(DType::float32, {4000, 64}, true);
  for (const std::size_t place : {70001u, 70002u, 71000u, 255999u}) {
    output.reference[place] = 2.0;
    output.magnitude[place] = 2.0;
    output.set(place, 64.0);
  }
  EXPECT_EQ(on_gpu(output).metrics.worst, 70001);
}

TEST_F(GpuComparator, AnExactResultHasNoErrorAndAnEmptyOneNoElement) {
  HostOutput output = random_output(DType::float64, {100, 100}, false);
  for (std::size_t i = 0; i < output.reference.size(); ++i) output.set(i, output.reference[i]);
  const Metrics exact = on_gpu(output).metrics;
  EXPECT_EQ(exact.elementwise, 0.0);
  EXPECT_EQ(exact.max_ulp, 0.0);
  EXPECT_EQ(exact.psnr, k_inf);
  EXPECT_EQ(exact.worst, 0);
  const Metrics empty = on_gpu(random_output(DType::float32, {0, 128}, false)).metrics;
  EXPECT_EQ(empty.compared, 0);
  EXPECT_EQ(empty.worst, -1);
}

TEST_F(GpuComparator, AMagnitudeThatIsNoneExcusesNothing) {
  for (const double nonsense : {k_nan, -1e9}) {
    HostOutput output = random_output(DType::float32, {2, 1000}, true);
    output.magnitude[700] = nonsense;
    const Metrics metrics = on_gpu(output).metrics;
    EXPECT_EQ(metrics.elementwise, k_inf);
    EXPECT_EQ(metrics.worst, 700);
  }
}

TEST_F(GpuComparator, TheSumsOfTwoRunsAreTheSameToTheBit) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{3000, 700}, {1000, 3000}, {3, 700001}}) {
    const HostOutput output = random_output(DType::bfloat16, shape, false);
    const CudaComparator::Result first = on_gpu(output);
    const CudaComparator::Result second = on_gpu(output);
    EXPECT_EQ(first.metrics.mae, second.metrics.mae);
    EXPECT_EQ(first.metrics.mse, second.metrics.mse);
    EXPECT_EQ(first.metrics.cosine, second.metrics.cosine);
    EXPECT_EQ(first.metrics.elementwise, second.metrics.elementwise);
    EXPECT_EQ(first.scale.rms, second.scale.rms);
  }
}

}  // namespace
}  // namespace kernelloop
