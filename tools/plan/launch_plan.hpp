// The launch plan: how the host launches a version's kernels. It stands in the leading comment of
// the version's source ("kernelloop:plan"). Published schema: schemas/plan.schema.json.
#pragma once

#include "spec/expression.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include <kernelloop/tensor_map.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kernelloop {

struct TensorArgument {
  std::string tensor;
};  // its device pointer
struct ScalarArgument {
  std::string input;
};  // a scalar input, by value, own dtype
struct IntegerArgument {
  Expression value;
};  // axis or expression; int32 or int64, as the kernel declares
struct WorkspaceArgument {
  Expression offset = Expression::constant(0);
};  // pointer into the workspace, bytes
// Values of the driver's enumerations.
struct TensorMapModes {
  int interleave = 0;
  int swizzle = 0;
  int l2_promotion = 0;
  int oob_fill = 0;
};
// A CUtensorMap by value (128 bytes), encoded at each launch. Dimensions begin with the contiguous
// one. Rules: plan/tensor_map.hpp.
struct TensorMapArgument {
  std::string tensor;  // or "workspace"
  std::string dtype;   // of an element of the map
  Expression offset_bytes = Expression::constant(0);
  std::vector<Expression> dims;
  std::vector<Expression> stride_bytes;  // of dims[1], dims[2], ...
  std::vector<Expression> box;
  std::vector<Expression> element_strides;
  TensorMapModes modes;
};
using Argument = std::variant<TensorArgument, ScalarArgument, IntegerArgument, WorkspaceArgument,
                              TensorMapArgument>;
inline constexpr std::string_view k_workspace_name = "workspace";
inline constexpr std::size_t k_tensor_map_bytes = 128;

// The tensor whose address an argument holds, itself or in a tensor map; empty when none.
std::string tensor_of(const Argument& argument);
// Whether an argument points into the workspace.
bool uses_workspace(const Argument& argument);
// Every expression of an argument.
std::vector<const Expression*> expressions_of(const Argument& argument);

struct Launch {
  std::optional<Expression> when;  // launched when absent or non-zero
  std::string kernel;              // extern "C" name
  std::array<Expression, 3> grid;  // missing dimensions are 1
  std::array<Expression, 3> block;
  std::array<Expression, 3> cluster;  // {1,1,1}: none
  bool has_cluster = false;
  bool cooperative = false;
  bool programmatic_dependent = false;  // programmatic dependent launch
  Expression dynamic_shared_bytes = Expression::constant(0);
  std::vector<Argument> arguments;
  std::size_t line = 0;  // in the source; 0 when read from plan_to_json's form
  // PlanForm::compiled: values that are fixed when the kernel is compiled, and what its compiler is
  // told (JSON objects).
  Json constants = Json::object();
  Json options = Json::object();
};

// How a plan is written.
enum class PlanForm {
  cuda,  // all that a launch needs; in a comment
  // For a language whose compiler chooses block, shared memory and cluster: launches have
  // `constants` and `options` instead, and `kernel` is a function. In a Python docstring.
  compiled,
};

struct LaunchPlan {
  Expression workspace_bytes = Expression::constant(0);
  std::vector<Launch> launches;
  // Of the text that it was read from, this one included (plan/configurations.hpp).
  std::size_t configurations = 1;
};

// Whether no launch has more than one dimension, of blocks and of threads, whatever the sizes are.
bool has_one_dimension(const LaunchPlan& plan);

// A kernel as the compiler made it.
struct KernelParameter {
  std::size_t offset = 0;
  std::size_t size = 0;
};
struct KernelInfo {
  std::string name;
  std::vector<KernelParameter> parameters;
  std::int64_t max_threads_per_block = 1024;         // .maxntid product or 1024
  std::optional<std::array<int, 3>> required_block;  // .reqntid
  std::int64_t static_shared_bytes = 0;
};
using KernelTable = std::vector<KernelInfo>;

// A plan that is wrong is the candidate's fault: a value for the verdict, not an exception.
struct PlanProblem {
  std::string message;   // in words the model can act on
  std::size_t line = 0;  // in the source file; 0 when none fits
};

struct PlanResult {
  std::optional<LaunchPlan> plan;  // when there are no problems
  std::vector<PlanProblem> problems;
};

// Finds the plan comment in a source text, parses and validates it against the spec: known tensors,
// axes and scalars; outputs are written by someone; expressions parse and only use axes.
PlanResult extract_plan(const std::string& source, const std::filesystem::path& path,
                        const OpSpec& spec, PlanForm form = PlanForm::cuda);

// The plan against what was compiled: kernels exist; argument count and the size of each agree;
// block size within the kernel's and the device's limits where it is constant; static shared memory
// within limits.
std::vector<PlanProblem> check_plan(const LaunchPlan& plan, const OpSpec& spec,
                                    const KernelTable& kernels);

Json plan_to_json(const LaunchPlan& plan);  // canonical; inverse:
LaunchPlan plan_from_json(const Json& json, const OpSpec& spec);

// One argument, and the `args` of a launch, in the same form. Throws Error(bad_input).
Json argument_to_json(const Argument& argument);
std::vector<Argument> arguments_from_json(const Json& json, const OpSpec& spec);

// One launch with numbers in place of expressions.
struct ResolvedArgument {
  enum class Kind { tensor, workspace, bytes, tensor_map };
  Kind kind = Kind::bytes;
  std::string tensor;              // kind tensor; kind tensor_map: empty for the workspace
  std::int64_t offset = 0;         // kind workspace
  detail::TensorMapNumbers map{};  // kind tensor_map
  std::vector<std::byte> bytes;    // kind bytes: the parameter's value, of the parameter's size
};
struct ResolvedLaunch {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::array<std::int64_t, 3> cluster{1, 1, 1};
  bool has_cluster = false;
  bool cooperative = false;
  bool programmatic_dependent = false;
  std::int64_t dynamic_shared_bytes = 0;
  std::vector<ResolvedArgument> arguments;
};
// A call of trusted host code (a baseline), which makes its launches itself.
struct HostCall {
  std::string op;
  Bindings axes;  // all of them
  std::map<std::string, double> scalars;
  std::map<std::string, std::vector<std::int64_t>> shapes;  // of the tensors
};

struct ResolvedPlan {
  std::int64_t workspace_bytes = 0;
  std::vector<ResolvedLaunch> launches;
  std::optional<HostCall> host;  // in place of launches
};

// Device limits that a resolved launch is held against.
struct LaunchLimits {
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_shared_bytes = 232448;  // static + dynamic, with opt-in
  std::array<std::int64_t, 3> max_grid{2147483647, 65535, 65535};
  std::array<std::int64_t, 3> max_block{1024, 1024, 64};
  std::int64_t max_workspace_bytes = 0;  // 0: unknown
};

struct ResolveResult {
  std::optional<ResolvedPlan> plan;
  std::vector<PlanProblem> problems;  // "for rows=3, cols=1: grid[0] is 0", "value 5e9 of 'n' does
                                      // not fit the 4-byte parameter 2 of k"
};

// `axes` are resolved axes; `scalars` the values of scalar inputs. No launch selected by `when` is
// a problem too.
ResolveResult resolve_plan(const LaunchPlan& plan, const OpSpec& spec, const KernelTable& kernels,
                           const Bindings& axes, const std::map<std::string, double>& scalars,
                           const LaunchLimits& limits);

}  // namespace kernelloop
