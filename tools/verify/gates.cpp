#include "verify/gates.hpp"

#include "support/error.hpp"
#include "verify/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace kernelloop {
namespace {

constexpr double k_fewest_terms = 16.0;
constexpr double k_tf32_roundoff = 0x1p-11;
constexpr double k_widest_normwise = 0.25;

// Of one addition. Sums of integers are exact; what is made of them is not.
double addition_roundoff(const OpSpec& spec) {
  const DTypeInfo& accumulate = info(spec.precision.accumulate);
  return info(accumulate.floating ? accumulate.type : DType::float32).unit_roundoff;
}

// u_acc of the bounds.
double accumulation_roundoff(const OpSpec& spec) {
  double roundoff = addition_roundoff(spec);
  for (const Tensor& input : spec.inputs) {
    const DTypeInfo& type = info(input.dtype);
    if (input.scalar || !type.floating) continue;
    if (type.size == 2) roundoff = std::max(roundoff, 0x1p-22);
    if (type.size == 1) roundoff = std::max(roundoff, 0x1p-13);
  }
  return roundoff;
}

// Tensor cores add so many products at a step, and cut off what their accumulator does not hold
// instead of rounding it: half a spacing at a step, always towards zero, so that it grows with the
// number of steps and not with its root. Measured on an H200 with 2^24.6 terms: 0.4 of this.
constexpr double k_products_at_a_step = 16.0;

double cut_off_by_tensor_cores(const OpSpec& spec, double terms) {
  const bool declared =
      std::any_of(spec.cost.flops.begin(), spec.cost.flops.end(),
                  [](const auto& entry) { return entry.first.ends_with("_tensor"); });
  return declared ? terms / k_products_at_a_step * accumulation_roundoff(spec) / 4.0 : 0.0;
}

bool cuts_inputs_to_tf32(const OpSpec& spec) {
  return spec.precision.allow_tf32 &&
         std::any_of(spec.inputs.begin(), spec.inputs.end(),
                     [](const Tensor& input) { return input.dtype == DType::float32; });
}

double declared_terms(const OpSpec& spec, const Bindings& axes) {
  try {
    return static_cast<double>(spec.precision.terms->evaluate(axes));
  } catch (const ExpressionError& error) {
    fail(ExitCode::bad_input, "op '{}': precision.terms (`{}`): {}", spec.name,
         spec.precision.terms->text(), error.what());
  }
}

double guessed_terms(const OpSpec& spec, const Bindings& axes) {
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
  return static_cast<double>(terms);
}

// PSNR and cosine grow with quality; every other metric is an error.
Gate gate_of(const std::string& metric, double value, double limit) {
  Gate gate{metric, limit, value, false, 0.0};
  const auto share = [](double part, double whole) {
    if (part <= 0.0) return 0.0;
    return whole > 0.0 ? part / whole : std::numeric_limits<double>::infinity();
  };
  if (metric == "psnr") {
    gate.passed = value >= limit;
    gate.margin = std::pow(10.0, (limit - value) / 20.0);
  } else if (metric == "cosine") {
    gate.passed = value >= limit;
    gate.margin = share(1.0 - value, 1.0 - limit);
  } else {
    gate.passed = value <= limit;
    gate.margin = share(value, limit);
  }
  return gate;
}

double limit_or(const Tolerance& tolerance, const std::string& metric, double derived) {
  const auto found = tolerance.limits.find(metric);
  return found == tolerance.limits.end() ? derived : found->second;
}

// C: how much the terms exceed the results. With random signs, `walk` says of how many typical
// steps of a random walk.
double cancellation(const ErrorModel& model, const Metrics& metrics, const ReferenceScale& scale,
                    double walk) {
  const double ratio = std::max(1.0, metrics.term_rms / scale.rms);
  if (!model.random_signs) return ratio;
  return std::min(ratio, std::max(1.0, walk * ratio / model.root_terms));
}

// Whether double holds no sum of the results' squares: of float64 results near the ends of its
// range.
bool squares_leave_double(const ReferenceScale& scale) {
  constexpr double largest_squared = 0x1p500;
  return scale.largest > largest_squared || (scale.rms == 0.0 && scale.largest > 0.0);
}

// Nothing where so little is left of the terms that an honest error is a large part of the result,
// or where no norm can be taken: then the elements' own bounds judge alone.
std::optional<double> derived_normwise(const ErrorModel& model, const Metrics& metrics,
                                       const ReferenceScale& scale) {
  if (squares_leave_double(scale)) return std::nullopt;
  if (scale.rms == 0.0) {
    return metrics.term_rms > 0.0 ? std::nullopt : std::optional(k_widest_normwise);
  }
  // float64 cannot tell how far the reference is from it.
  const double rounding =
      model.output_roundoff < 0x1p-50 ? model.output_roundoff : 1.1 * metrics.rounding;
  const double limit =
      rounding + 4.0 * model.accumulated * cancellation(model, metrics, scale, 4.0) +
      (2.5 * model.term_roundoff + model.cut_off) * cancellation(model, metrics, scale, 1.5);
  // What lies below the range of the types is excused however large a part of the output it is.
  const double underflow = model.underflow / scale.rms;
  if (limit > k_widest_normwise && metrics.term_rms > scale.rms) return std::nullopt;
  return std::min(k_widest_normwise, limit) + underflow;
}

}  // namespace

double term_count(const OpSpec& spec, const Bindings& axes) {
  const double terms =
      spec.precision.terms ? declared_terms(spec, axes) : guessed_terms(spec, axes);
  return std::max(k_fewest_terms, terms);
}

ErrorModel error_model(const OpSpec& spec, const Tensor& output, const Bindings& axes,
                       const DataTraits& traits) {
  ErrorModel model;
  model.exact = traits.exact;
  model.free_where_undefined = traits.free_where_undefined;
  model.output_roundoff = info(output.dtype).unit_roundoff;
  if (!info(output.dtype).floating) return model;
  const Precision& precision = spec.precision;
  const double terms = term_count(spec, axes);
  const bool may_flush = precision.denormals == Precision::Denormals::may_flush;
  model.root_terms = std::sqrt(terms);
  model.accumulated = accumulation_roundoff(spec) * model.root_terms;
  if (traits.rounds_one_way) {
    // Of a sum that one register adds up, K u: the limits have 4 of it.
    model.accumulated = std::max(model.accumulated, addition_roundoff(spec) * terms / 4.0);
  }
  model.cut_off = cut_off_by_tensor_cores(spec, terms);
  model.term_roundoff =
      (cuts_inputs_to_tf32(spec) ? k_tf32_roundoff : 0.0) +
      (precision.intermediate ? info(*precision.intermediate).unit_roundoff : 0.0);
  model.output_underflow = underflow_step(output.dtype, may_flush);
  model.underflow =
      model.output_underflow + terms * underflow_step(precision.accumulate, may_flush);
  model.random_signs = traits.random_signs;
  model.amplification = traits.amplification;
  return model;
}

std::vector<Gate> judge(const OpSpec& spec, const Tensor& output, const ErrorModel& model,
                        const Metrics& metrics, const ReferenceScale& scale) {
  const auto values = named_metrics(metrics);
  std::vector<Gate> gates;
  const auto value_of = [&](const std::string& metric) {
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == metric; });
    if (value == values.end()) {
      std::string known;
      for (const auto& [name, number] : values) known += (known.empty() ? "" : ", ") + name;
      fail(ExitCode::bad_input, "op '{}': tolerance names no metric '{}'; there are: {}", spec.name,
           metric, known);
    }
    return value->second;
  };
  const auto add = [&](const std::string& metric, double derived) {
    gates.push_back(gate_of(metric, value_of(metric), limit_or(spec.tolerance, metric, derived)));
  };

  const DTypeInfo& type = info(output.dtype);
  gates.push_back(gate_of("nonfinite", value_of("nonfinite"), 0.0));
  if (model.exact && metrics.rounding == 0.0) {
    // A tolerance is for rounding, and there is none.
    gates.push_back(gate_of("max_abs", metrics.max_abs, 0.0));
    return gates;
  }
  if (!type.floating) {
    add("max_abs", 0.0);
  } else {
    const double elementwise = limit_or(spec.tolerance, "elementwise", 1.0);
    const bool low = type.size <= 2 || info(spec.precision.accumulate).size <= 2;
    std::optional<double> normwise = derived_normwise(model, metrics, scale);
    if (const auto set = spec.tolerance.limits.find("normwise");
        set != spec.tolerance.limits.end()) {
      normwise = set->second;
    }
    if (normwise) add("normwise", *normwise);
    add("elementwise", elementwise);
    if (normwise) {
      const double rmse = *normwise * scale.rms;
      if (!low) add("rmse", rmse);
      // A reference of zeros has no peak: its candidate's PSNR is infinite or minus infinity.
      add("psnr", scale.largest > 0.0 ? 20.0 * std::log10(scale.largest / rmse) : 0.0);
      if (low) add("cosine", std::sqrt(std::max(0.0, 1.0 - *normwise * *normwise)));
    }
    if (!low) {
      add("max_abs", elementwise * metrics.widest_bound);
      add("max_rel", elementwise * metrics.widest_relative_bound);
    }
  }
  for (const auto& named : spec.tolerance.limits) {
    const bool present = std::any_of(gates.begin(), gates.end(),
                                     [&](const Gate& gate) { return gate.metric == named.first; });
    if (!present) add(named.first, named.second);
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
