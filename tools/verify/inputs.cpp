#include "verify/inputs.hpp"

#include "support/error.hpp"
#include "support/random.hpp"
#include "verify/elements.hpp"
#include "verify/parallel.hpp"

#include <array>

namespace kernelloop {
namespace {

// Largest magnitude of an integer that reaches the reference unharmed.
constexpr double k_exact_integer = 0x1p53;

template <typename Draw>
void fill(DType type, std::span<std::byte> bytes, std::span<double> exact, const Draw& draw) {
  with_writer(type, bytes.data(), [&](const auto& write) {
    for_chunks(static_cast<std::int64_t>(exact.size()),
               [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t index = begin; index < end; ++index) {
                   exact[static_cast<std::size_t>(index)] = write(index, draw(index));
                 }
               });
  });
}

// Two elements at a time: a pair of normal numbers costs hardly more than one.
template <typename Real>
void fill_normal(const Tensor& tensor, const InputValues& values, const RandomStream& stream,
                 std::span<std::byte> bytes, std::span<double> exact) {
  const auto mean = static_cast<Real>(values.mean);
  const auto deviation = static_cast<Real>(values.deviation);
  with_writer(tensor.dtype, bytes.data(), [&](const auto& write) {
    for_chunks(static_cast<std::int64_t>(exact.size()), [&](std::int64_t, std::int64_t begin,
                                                            std::int64_t end) {
      for (std::int64_t index = begin; index < end; index += 2) {
        const auto pair = stream.normal_pair<Real>(static_cast<std::uint64_t>(index / 2));
        exact[static_cast<std::size_t>(index)] = write(index, mean + deviation * pair.first);
        if (index + 1 == end) break;
        exact[static_cast<std::size_t>(index + 1)] =
            write(index + 1, mean + deviation * pair.second);
      }
    });
  });
}

// Overwrites a share of the elements, which a stream of its own chooses.
void mark_special(const Tensor& tensor, const InputValues& values, std::uint64_t seed,
                  std::span<std::byte> bytes, std::span<double> exact) {
  const RandomStream stream(seed, tensor.name + ".special");
  with_writer(tensor.dtype, bytes.data(), [&](const auto& write) {
    for_chunks(static_cast<std::int64_t>(exact.size()),
               [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t index = begin; index < end; ++index) {
                   if (stream.uniform(static_cast<std::uint64_t>(index)) >= values.special_share) {
                     continue;
                   }
                   exact[static_cast<std::size_t>(index)] = write(index, values.special_value);
                 }
               });
  });
}

}  // namespace

void draw_tensor(const Tensor& tensor, const InputValues& values, std::uint64_t seed,
                 std::span<std::byte> bytes, std::span<double> exact) {
  const RandomStream stream(seed, tensor.name);
  const auto at = [](std::int64_t index) { return static_cast<std::uint64_t>(index); };
  if (values.family == "normal") {
    if (tensor.dtype == DType::float64) {
      fill_normal<double>(tensor, values, stream, bytes, exact);
    } else {
      fill_normal<float>(tensor, values, stream, bytes, exact);
    }
  } else if (values.family == "uniform") {
    const double width = values.high - values.low;
    fill(tensor.dtype, bytes, exact,
         [&](std::int64_t index) { return values.low + width * stream.uniform(at(index)); });
  } else if (values.family == "constant") {
    fill(tensor.dtype, bytes, exact, [&](std::int64_t) { return values.value; });
  } else if (values.family == "integers") {
    const double low = std::clamp(std::ceil(values.low), -k_exact_integer, k_exact_integer);
    const double high = std::clamp(std::floor(values.high), -k_exact_integer, k_exact_integer);
    fill(tensor.dtype, bytes, exact, [&](std::int64_t index) {
      return std::min(high, low + std::floor((high - low + 1.0) * stream.uniform(at(index))));
    });
  } else {
    fail(ExitCode::bad_input,
         "input '{}': no values of family '{}'; use normal, uniform, constant or integers",
         tensor.name, values.family);
  }
  if (values.special_share > 0.0) mark_special(tensor, values, seed, bytes, exact);
}

std::map<std::string, double> draw_scalars(const OpSpec& spec, const Bindings& axes,
                                           const std::map<std::string, double>& overrides,
                                           std::uint64_t seed) {
  std::map<std::string, double> scalars;
  for (const Tensor& tensor : spec.inputs) {
    if (!tensor.scalar) continue;
    InputValues values = values_at(tensor, axes);
    if (const auto found = overrides.find(tensor.name); found != overrides.end()) {
      values = {};
      values.family = "constant";
      values.value = found->second;
    }
    std::array<std::byte, 8> bytes{};
    double exact = 0.0;
    draw_tensor(tensor, values, seed, bytes, {&exact, 1});
    scalars[tensor.name] = exact;
  }
  return scalars;
}

}  // namespace kernelloop
