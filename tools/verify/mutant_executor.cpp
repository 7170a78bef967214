#include "verify/mutant_executor.hpp"

#include "verify/elements.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

std::vector<double> upcast(DType type, std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / info(type).size);
  with_reader(type, bytes.data(), [&](const auto& read) {
    for (std::size_t index = 0; index < values.size(); ++index) {
      values[index] = read(static_cast<std::int64_t>(index));
    }
  });
  return values;
}

}  // namespace

CompiledVersion version_of_reference(const OpSpec& spec) {
  Launch launch;
  KernelInfo kernel;
  launch.kernel = kernel.name = "reference";
  launch.grid.fill(Expression::constant(1));
  launch.block.fill(Expression::constant(1));
  launch.cluster.fill(Expression::constant(1));
  for (const Tensor& output : spec.outputs) {
    launch.arguments.push_back(TensorArgument{output.name});
    kernel.parameters.push_back({kernel.parameters.size() * sizeof(void*), sizeof(void*)});
  }
  CompiledVersion version;
  version.op = spec.name;
  version.version = "reference";
  version.status = CompiledVersion::Status::compiled;
  version.availability = CompiledVersion::Availability::built;
  version.plan.launches.push_back(std::move(launch));
  version.kernels.push_back(std::move(kernel));
  return version;
}

MutantExecutor::MutantExecutor(const OpSpec& spec, const ReferenceLibrary& reference,
                               const Tensor* spoiled, const Mutant* mutant)
    : spec_(spec), reference_(reference), spoiled_(spoiled), mutant_(mutant) {
  device_.kind = "cpu";
  device_.name = mutant == nullptr ? "the reference" : mutant->name;
}

void MutantExecutor::begin(CaseData& data) {
  data_ = &data;
  truth_ = &data.expected(reference_);
  before_ = std::exchange(honest_, {});
}

RunResult MutantExecutor::run(const RunRequest& request) {
  for (const Tensor& output : spec_.outputs) {
    const std::span<std::byte> bytes = request.arena->bytes(output.name);
    const std::span<const double> values = truth_->at(output.name).values;
    const std::size_t size = info(output.dtype).size;
    for (std::size_t index = 0; index < values.size(); ++index) {
      store_element(output.dtype, values[index], &bytes[index * size]);
    }
    if (spoiled_ == &output) spoil(request, bytes);
  }
  return {};
}

void MutantExecutor::spoil(const RunRequest& request, std::span<std::byte> bytes) {
  honest_.assign(bytes.begin(), bytes.end());
  const auto first = first_.try_emplace(data_->axes(), honest_).first;
  std::span<const std::byte> copied;
  if (!mutant_->copies.empty()) copied = request.arena->bytes(mutant_->copies);
  const MutantLaunch launch{*spoiled_,     truth_->at(spoiled_->name),
                            copied,        before_,
                            first->second, [this](int bits) { return of_cut_inputs(bits); },
                            request.poison};
  mutant_->spoil(launch, bytes);
  differed_ = differed_ || !std::equal(bytes.begin(), bytes.end(), honest_.begin());
}

ReferenceOutput MutantExecutor::of_cut_inputs(int significand) const {
  std::vector<std::vector<double>> values;
  values.reserve(spec_.inputs.size());
  ReferenceInputs inputs;
  inputs.axes = data_->axes();
  inputs.scalars = data_->scalars();
  inputs.finite = false;  // a cut may overflow where the data did not
  for (const Tensor& input : spec_.inputs) {
    if (input.scalar) continue;
    std::vector<double>& elements =
        values.emplace_back(upcast(input.dtype, data_->arena().bytes(input.name)));
    if (info(input.dtype).floating) {
      for (double& element : elements) element = cut_significand(element, significand);
    }
    inputs.tensors[input.name] = elements;
  }
  return std::move(reference_.run(spec_, inputs).at(spoiled_->name));
}

}  // namespace kernelloop
