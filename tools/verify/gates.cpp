#include "verify/gates.hpp"

#include "support/error.hpp"
#include "verify/elements.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

constexpr double k_fewest_terms = 16.0;
constexpr double k_tf32_roundoff = 0x1p-11;
constexpr double k_widest_normwise = 0.25;

double term_count(const OpSpec& spec, const Bindings& axes) {
  std::int64_t terms = 1;
  std::int64_t most_inputs = 1;
  for (const Tensor& input : spec.inputs) {
    for (const std::int64_t axis : shape_of(input, axes)) terms = std::max(terms, axis);
    most_inputs = std::max(most_inputs, element_count(input, axes));
  }
  for (const Tensor& output : spec.outputs) {
    const std::int64_t outputs = std::max<std::int64_t>(1, element_count(output, axes));
    terms = std::max(terms, most_inputs / outputs);
  }
  return std::max(k_fewest_terms, static_cast<double>(terms));
}

double accumulation_roundoff(const OpSpec& spec) {
  double roundoff = info(spec.precision.accumulate).unit_roundoff;
  for (const Tensor& input : spec.inputs) {
    const DTypeInfo& type = info(input.dtype);
    if (input.scalar || !type.floating) continue;
    if (type.size == 2) roundoff = std::max(roundoff, 0x1p-22);
    if (type.size == 1) roundoff = std::max(roundoff, 0x1p-13);
  }
  return roundoff;
}

bool cuts_inputs_to_tf32(const OpSpec& spec) {
  return spec.precision.allow_tf32 &&
         std::any_of(spec.inputs.begin(), spec.inputs.end(),
                     [](const Tensor& input) { return input.dtype == DType::float32; });
}

// PSNR and cosine grow with quality; every other metric is an error.
bool passes(const std::string& metric, double value, double limit) {
  const bool larger_is_better = metric == "psnr" || metric == "cosine";
  return larger_is_better ? value >= limit : value <= limit;
}

double limit_or(const Tolerance& tolerance, const std::string& metric, double derived) {
  const auto found = tolerance.limits.find(metric);
  return found == tolerance.limits.end() ? derived : found->second;
}

// Where the reference gave the magnitude of the terms, cancellation widens the limit by it.
double derived_normwise(const ErrorModel& model, const Metrics& metrics,
                        const ReferenceScale& scale) {
  if (scale.rms == 0.0) return k_widest_normwise;
  const double cancellation = std::max(1.0, metrics.term_rms / scale.rms);
  const double rounding = model.output_roundoff / std::sqrt(3.0) + model.accumulated * cancellation;
  return std::min(k_widest_normwise, 4.0 * rounding + model.underflow / scale.rms);
}

}  // namespace

ErrorModel error_model(const OpSpec& spec, const Tensor& output, const Bindings& axes) {
  ErrorModel model;
  model.output_roundoff = info(output.dtype).unit_roundoff;
  if (!info(output.dtype).floating) return model;
  model.accumulated = accumulation_roundoff(spec) * std::sqrt(term_count(spec, axes)) +
                      (cuts_inputs_to_tf32(spec) ? k_tf32_roundoff : 0.0);
  model.underflow = underflow_step(output.dtype);
  return model;
}

std::vector<Gate> judge(const OpSpec& spec, const Tensor& output, const ErrorModel& model,
                        const Metrics& metrics, const ReferenceScale& scale) {
  const auto values = named_metrics(metrics);
  std::vector<Gate> gates;
  const auto add = [&](const std::string& metric, double derived) {
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == metric; });
    if (value == values.end()) {
      std::string known;
      for (const auto& [name, number] : values) known += (known.empty() ? "" : ", ") + name;
      fail(ExitCode::bad_input, "op '{}': tolerance names no metric '{}'; there are: {}", spec.name,
           metric, known);
    }
    const double limit = limit_or(spec.tolerance, metric, derived);
    gates.push_back({metric, limit, value->second, passes(metric, value->second, limit)});
  };

  const DTypeInfo& type = info(output.dtype);
  add("nonfinite", 0.0);
  if (!type.floating) {
    add("max_abs", 0.0);
  } else {
    const double normwise =
        limit_or(spec.tolerance, "normwise", derived_normwise(model, metrics, scale));
    const double elementwise = limit_or(spec.tolerance, "elementwise", 1.0);
    add("normwise", normwise);
    add("elementwise", elementwise);
    const double rmse = normwise * scale.rms;
    // A reference of zeros has no peak: its candidate's PSNR is infinite or minus infinity.
    const double psnr = scale.largest > 0.0 ? 20.0 * std::log10(scale.largest / rmse) : 0.0;
    if (type.size <= 2 || info(spec.precision.accumulate).size <= 2) {
      add("psnr", psnr);
      add("cosine", std::sqrt(std::max(0.0, 1.0 - normwise * normwise)));
    } else {
      add("rmse", rmse);
      add("psnr", psnr);
      add("max_abs", elementwise * metrics.widest_bound);
      add("max_rel", elementwise * metrics.widest_relative_bound);
    }
  }
  for (const auto& [metric, limit] : spec.tolerance.limits) {
    const bool present = std::any_of(gates.begin(), gates.end(),
                                     [&](const Gate& gate) { return gate.metric == metric; });
    if (!present) add(metric, limit);
  }
  return gates;
}

std::vector<std::pair<std::string, double>> named_metrics(const Metrics& metrics) {
  return {{"max_abs", metrics.max_abs},
          {"max_rel", metrics.max_rel},
          {"mae", metrics.mae},
          {"mse", metrics.mse},
          {"rmse", metrics.rmse},
          {"psnr", metrics.psnr},
          {"cosine", metrics.cosine},
          {"normwise", metrics.normwise},
          {"max_ulp", metrics.max_ulp},
          {"elementwise", metrics.elementwise},
          {"nonfinite", static_cast<double>(metrics.nonfinite)}};
}

}  // namespace kernelloop
