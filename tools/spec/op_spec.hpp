// The op spec: the contract between an operator's reference, its kernels, its tests and its users.
// Published schema: schemas/op.schema.json.
#pragma once

#include "spec/dtype.hpp"
#include "spec/expression.hpp"
#include "support/json.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

struct Axis {
  enum class Kind { constant, variable, expression };
  std::string name;
  Kind kind = Kind::variable;
  std::int64_t value = 0;             // constant
  std::optional<Expression> formula;  // expression: over other axes
  std::string description;
};

// How the elements of an input are drawn.
struct InputValues {
  // normal | uniform | constant | integers; the verifier adds families of its own (issue: values
  // rung)
  std::string family = "normal";
  double mean = 0.0;       // normal
  double deviation = 1.0;  // normal
  double low = 0.0;        // uniform, integers: lower end, inclusive
  double high = 1.0;       // uniform: exclusive; integers: inclusive
  double value = 0.0;      // constant
  // Over axes, in place of `low` and `high`; values_at() works them out.
  std::optional<Expression> low_formula;
  std::optional<Expression> high_formula;
  // That share of the elements, chosen at random, is `special_value` instead, in any family.
  double special_value = 0.0;
  double special_share = 0.0;  // 0 to 1
  // What the operator serves: no family draws an element below or above. Unset: the verifier stays
  // where products and sums of the declared accumulation type do not overflow.
  std::optional<double> at_least;
  std::optional<double> at_most;
  // The families of the values rung that may take this input's place; unset: all of them. An input
  // left out of a family keeps its own.
  std::optional<std::vector<std::string>> families;
};

struct Tensor {
  std::string name;
  bool scalar = false;             // "shape": null
  std::vector<std::string> shape;  // axis names or expressions, outermost first; [] is one element
  DType dtype = DType::float32;
  InputValues values;  // inputs only
  std::string description;
  std::size_t alignment = 16;  // bytes: every caller's tensor starts at a multiple; a power of two
};

struct Precision {
  // What NaN and infinity among the inputs lead to.
  enum class Nonfinite { propagate, undefined };
  // Whether numbers below the smallest normal one may be taken for zero.
  enum class Denormals { may_flush, preserve };

  DType accumulate = DType::float32;  // the narrowest type partial results may be kept in
  bool allow_tf32 = false;
  std::optional<DType> intermediate;  // what results between two stages may be rounded to
  std::optional<Expression> terms;    // over axes: how many terms one output element adds up
  Nonfinite nonfinite = Nonfinite::propagate;
  Denormals denormals = Denormals::may_flush;
  std::optional<bool> exact;  // whether small integers give exact results; unset: found out
  bool deterministic = true;  // the same inputs give the same bits, however the threads are ordered
  // Whether sums and products may be rounded to float16 or bfloat16 outside tensor cores. Always so
  // where `accumulate` is a type of 16 bits or less.
  bool allow_half_arithmetic = false;
  // What tensor cores may multiply ("bfloat16", "tfloat32", ...); absent: it follows from the
  // inputs (spec/precision.hpp). Empty: no tensor cores.
  std::optional<std::vector<std::string>> tensor_core_inputs;
};

// What the op must move and compute at least; expressions over axes.
struct Cost {
  Expression bytes = Expression::constant(0);
  std::map<std::string, Expression> flops;  // by arithmetic class: fp32, bf16_tensor, sfu, ...
};

struct Workload {
  std::string name;                       // unique; shown in reports
  Bindings axes;                          // every variable axis
  std::map<std::string, double> scalars;  // overrides of scalar inputs
  double weight = 1.0;                    // > 0
  std::vector<std::string> devices;       // "cuda", "cpu"; empty: every device
};

// One threshold or more of the verifier, set by the spec instead of derived.
struct Tolerance {
  std::map<std::string, double> limits;  // metric name -> limit; names in docs/formats.md
};

// Shapes too large for the reference. Along `axis`, the outermost one of every output, the op
// treats each index by itself: a block of indices with the same inputs must give the same outputs
// wherever it lies, and the reference need see only one.
struct HugeShapes {
  std::string axis;
  std::vector<Bindings> shapes;
};

struct Ladder {
  std::map<std::string, std::vector<Bindings>> shapes;  // rung -> extra shapes
  std::vector<Bindings> holdout;                        // shapes no prompt ever shows
  std::optional<HugeShapes> huge;
};

struct OpSpec {
  std::string name;
  std::string description;
  std::vector<Axis> axes;  // in file order
  // Indices of those that are computed, each behind those that its formula names.
  std::vector<std::size_t> computed_axes;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Expression> constraints;  // all must be non-zero
  Precision precision;
  Cost cost;
  std::vector<Workload> workloads;
  Ladder ladder;
  Tolerance tolerance;

  [[nodiscard]] const Tensor* find_tensor(const std::string& name) const;
  [[nodiscard]] const Axis* find_axis(const std::string& name) const;
  // Workloads meant for a device kind ("cuda", "cpu").
  [[nodiscard]] std::vector<Workload> workloads_for(const std::string& device) const;
};

// Reads, validates against the schema, then checks what a schema cannot say (unknown axis in a
// shape, cyclic expression axes, a workload that lacks an axis or breaks a constraint, a name that
// is not an identifier, ...). Throws Error(bad_input) "file:line:column: what; remedy".
// A document with a member "part" (see split_spec) need not have workloads.
OpSpec load_op_spec(const std::filesystem::path& path);
OpSpec parse_op_spec(const JsonDocument& document);

// What parse_op_spec asks of the shapes that a spec names, for shapes that it only allows: whoever
// calls the operator may come with them, and the verifier does. They lie near 1 and around the
// sizes of warps and tiles. `spec` is what the document says. Throws Error(bad_input) as above,
// with the constraint that leaves such shapes out.
void require_servable(const JsonDocument& document, const OpSpec& spec);

// All axes' values for one shape: variables from `variables`, constants and expressions computed.
// Throws Error(bad_input) when a variable is missing or unknown, a value is < 1 (axes may be 0 only
// where an expression says so), or a constraint does not hold (names it).
Bindings resolve_axes(const OpSpec& spec, const Bindings& variables);

// Whether resolve_axes would give values for these variables; cheap where it would not.
bool admissible(const OpSpec& spec, const Bindings& variables);

// Shape and element count of a tensor under resolved axes. A scalar has shape {} and one element.
std::vector<std::int64_t> shape_of(const Tensor& tensor, const Bindings& axes);
std::int64_t element_count(const Tensor& tensor, const Bindings& axes);  // throws on overflow
// Of all of them but scalars.
double total_bytes(const std::vector<Tensor>& tensors, const Bindings& axes);

// How the elements of `input` are drawn under resolved axes: its values with `low` and `high` as
// numbers. Throws Error(bad_input) where nothing can be drawn between them, or one of them does not
// fit the dtype.
InputValues values_at(const Tensor& input, const Bindings& axes);

// The canonical parts of a spec, which the build graph keys its steps on (docs/formats.md):
// "contract" (axes, tensors, constraints, precision), "checks" (contract + ladder, tolerance,
// workload shapes), "timing" (contract + cost, workloads). Each can be parsed by parse_op_spec.
struct SpecParts {
  Json contract;
  Json checks;
  Json timing;
};
SpecParts split_spec(const JsonDocument& document);

}  // namespace kernelloop
