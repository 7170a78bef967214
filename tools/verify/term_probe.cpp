#include "verify/term_probe.hpp"

#include "support/random.hpp"
#include "verify/contained_call.hpp"
#include "verify/reference_call.hpp"
#include "verify/reference_library.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace kernelloop {
namespace {

// From here on, all elements cancel so seldom (two digits each time, in 8 of 8) that no run sees
// it.
constexpr std::size_t k_enough_neighbours = 8;
constexpr double k_step = 0x1p-26;  // the difference keeps half of double's digits
// Two terms that cancel move the result only where their signs in a draw differ: 1 in 2.
constexpr int k_draws = 16;
// Of many terms any draw moves the result by about the root of their squares.
constexpr int k_draws_of_many = 4;
constexpr std::size_t k_many = 4096;

bool needs_probe(const OpSpec& spec, const std::string& name, const ReferenceOutput& output) {
  return info(spec.find_tensor(name)->dtype).floating && output.magnitudes.empty() &&
         !output.values.empty() && output.values.size() < k_enough_neighbours;
}

double moved(double value, const RandomStream& signs, std::uint64_t index) {
  return value * (1.0 + ((signs.bits(index) & 1) != 0 ? k_step : -k_step));
}

// The floating inputs of a call, each element moved.
class MovedInputs {
 public:
  MovedInputs(const OpSpec& spec, const ReferenceInputs& from) : spec_(spec), from_(from) {
    moved_.axes = from.axes;
    moved_.scalars = from.scalars;
    moved_.tensors = from.tensors;
    moved_.finite = from.finite;
  }

  const ReferenceInputs& draw(int number) {
    for (const Tensor& input : spec_.inputs) {
      if (!info(input.dtype).floating) continue;
      const RandomStream signs(static_cast<std::uint64_t>(number), input.name);
      if (input.scalar) {
        moved_.scalars[input.name] = moved(from_.scalars.at(input.name), signs, 0);
        continue;
      }
      const std::span<const double> exact = from_.tensors.at(input.name);
      std::vector<double>& values = values_[input.name];
      values.resize(exact.size());
      for (std::size_t i = 0; i < exact.size(); ++i) values[i] = moved(exact[i], signs, i);
      moved_.tensors[input.name] = values;
    }
    return moved_;
  }

 private:
  const OpSpec& spec_;
  const ReferenceInputs& from_;
  ReferenceInputs moved_;
  std::map<std::string, std::vector<double>> values_;
};

// Memory for what a call makes, of no interest afterwards.
struct Scratch {
  std::vector<double> values;
  std::vector<double> magnitudes;
  unsigned char magnitude_given = 0;
};

}  // namespace

void probe_terms(const std::filesystem::path& library, std::chrono::milliseconds timeout,
                 const OpSpec& spec, const ReferenceInputs& inputs,
                 std::map<std::string, ReferenceOutput>& outputs) {
  std::map<std::string, std::span<double>> probed;
  const MemoryBlock memory(outputs.size() * k_enough_neighbours * sizeof(double),
                           MemoryBlock::Kind::shared);
  for (const auto& [name, output] : outputs) {
    if (!needs_probe(spec, name, output)) continue;
    probed[name] =
        memory.as<double>().subspan(probed.size() * k_enough_neighbours, output.values.size());
  }
  const bool movable = std::any_of(spec.inputs.begin(), spec.inputs.end(),
                                   [](const Tensor& input) { return info(input.dtype).floating; });
  if (probed.empty() || !movable) return;
  std::size_t terms = 0;
  for (const auto& [name, values] : inputs.tensors) terms += values.size();

  const std::string problem = contained_call(
      [&] {
        std::map<std::string, Scratch> scratch;
        std::map<std::string, ReferenceBuffers> buffers;
        for (const auto& [name, output] : outputs) {
          Scratch& made = scratch[name];
          made.values.resize(output.values.size());
          made.magnitudes.resize(output.values.size());
          buffers[name] = {made.values, made.magnitudes.data(), &made.magnitude_given};
        }
        MovedInputs moved(spec, inputs);
        for (int draw = 0; draw < (terms > k_many ? k_draws_of_many : k_draws); ++draw) {
          std::string failure = ReferenceCall(spec, moved.draw(draw), buffers).run(library);
          if (!failure.empty()) return failure;
          for (const auto& [name, most] : probed) {
            for (std::size_t i = 0; i < most.size(); ++i) {
              const double terms_seen =
                  std::fabs(scratch.at(name).values[i] - outputs.at(name).values[i]) / k_step;
              if (std::isfinite(terms_seen)) most[i] = std::max(most[i], terms_seen);
            }
          }
        }
        return std::string();
      },
      timeout);
  if (!problem.empty()) return;
  for (const auto& [name, most] : probed) {
    outputs.at(name).probed_terms.assign(most.begin(), most.end());
  }
}

}  // namespace kernelloop
