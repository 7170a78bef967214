#include "plan/plan_reader.hpp"

#include "plan/configurations.hpp"
#include "plan/plan_comment.hpp"
#include "plan/tensor_map.hpp"
#include "spec/names.hpp"
#include "support/error.hpp"
#include "support/json_schema.hpp"
#include "support/suggest.hpp"

#include <algorithm>
#include <set>

namespace kernelloop {

extern const std::string_view k_plan_schema;           // schemas/plan.schema.json
extern const std::string_view k_compiled_plan_schema;  // schemas/compiled-plan.schema.json

namespace {

std::vector<std::string> axis_names(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const Axis& axis : spec.axes) names.push_back(axis.name);
  return names;
}

// All that an argument may name.
std::vector<std::string> argument_names(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const Tensor& input : spec.inputs) names.push_back(input.name);
  for (const Tensor& output : spec.outputs) names.push_back(output.name);
  for (const Axis& axis : spec.axes) names.push_back(axis.name);
  names.emplace_back(k_workspace_name);
  return names;
}

class Reader {
 public:
  Reader(const JsonDocument& document, const OpSpec& spec)
      : document_(document), spec_(spec), axes_(axis_names(spec)) {}

  PlanResult read() {
    const Json json = with_configuration(document_.value, 0);
    plan_.configurations = count_configurations(document_.value);
    plan_.workspace_bytes = optional_expression(json, "workspace_bytes", "", 0);
    for (std::size_t i = 0; i < json["launches"].size(); ++i) {
      read_launch(json["launches"][i], i);
    }
    check_outputs();
    check_workspace();
    if (!problems_.empty()) return {std::nullopt, std::move(problems_)};
    return {std::move(plan_), {}};
  }

 private:
  void wrong(const std::string& pointer, const std::string& message) {
    problems_.push_back(
        problem_from_text(document_.where(pointer) + ": " + message, document_.path));
  }

  Expression expression(const Json& json, const std::string& pointer, const std::string& what) {
    const std::string text =
        json.is_string() ? json.get<std::string>() : json.dump();  // "256" and 256 alike
    try {
      return parse_expression_over(text, axes_, "axis");
    } catch (const ExpressionError& error) {
      wrong(pointer, fmt::format("{}: {}{}", what, describe(error, text), only_axes(text)));
    }
    return Expression::constant(1);
  }

  // Says why a tensor or scalar is unknown to an expression.
  [[nodiscard]] std::string only_axes(const std::string& text) const {
    std::set<std::string> used;
    try {
      used = Expression::parse(text).names();
    } catch (const ExpressionError&) {
      return {};
    }
    for (const std::string& name : used) {
      if (spec_.find_tensor(name) != nullptr) {
        return fmt::format(" (`{}` is a tensor or scalar; expressions can only use axes)", name);
      }
    }
    return {};
  }

  Expression optional_expression(const Json& json, const std::string& member,
                                 const std::string& pointer, std::int64_t otherwise) {
    if (!json.contains(member)) return Expression::constant(otherwise);
    return expression(json[member], pointer + "/" + member, member);
  }

  std::array<Expression, 3> dimensions(const Json& json, const std::string& member,
                                       const std::string& pointer) {
    std::array<Expression, 3> result;
    result.fill(Expression::constant(1));
    if (!json.contains(member)) return result;
    for (std::size_t i = 0; i < std::min(result.size(), json[member].size()); ++i) {
      result[i] = expression(json[member][i], fmt::format("{}/{}/{}", pointer, member, i),
                             fmt::format("{}[{}]", member, i));
    }
    return result;
  }

  void read_launch(const Json& json, std::size_t index) {
    const std::string pointer = fmt::format("/launches/{}", index);
    Launch launch;
    launch.line =
        problem_from_text(document_.where(pointer + "/kernel") + ": ", document_.path).line;
    launch.kernel = json["kernel"].get<std::string>();
    if (launch.kernel.find_first_of("<>(): ") != std::string::npos) {
      wrong(pointer + "/kernel",
            fmt::format("kernel `{}`: name an extern \"C\" __global__ function; wrap a template in "
                        "one",
                        launch.kernel));
    }
    if (json.contains("when")) launch.when = expression(json["when"], pointer + "/when", "when");
    launch.grid = dimensions(json, "grid", pointer);
    launch.block = dimensions(json, "block", pointer);
    launch.cluster = dimensions(json, "cluster", pointer);
    launch.has_cluster = json.contains("cluster");
    launch.cooperative = json.value("cooperative", false);
    launch.programmatic_dependent = json.value("programmatic_dependent_launch", false);
    launch.dynamic_shared_bytes = optional_expression(json, "dynamic_shared_bytes", pointer, 0);
    launch.constants = json.value("constants", Json::object());
    launch.options = json.value("options", Json::object());
    for (std::size_t i = 0; i < json["args"].size(); ++i) {
      launch.arguments.push_back(argument(json["args"][i], fmt::format("{}/args/{}", pointer, i),
                                          fmt::format("args[{}]", i)));
    }
    plan_.launches.push_back(std::move(launch));
  }

  Argument argument(const Json& json, const std::string& pointer, const std::string& what) {
    if (json.is_object()) {
      if (json.contains("tensor_map")) return tensor_map(json["tensor_map"], pointer, what);
      return WorkspaceArgument{
          expression(json["workspace_offset"], pointer + "/workspace_offset", what)};
    }
    if (!json.is_string()) return IntegerArgument{expression(json, pointer, what)};
    const auto text = json.get<std::string>();
    if (text == k_workspace_name) return WorkspaceArgument{};
    if (const Tensor* tensor = spec_.find_tensor(text)) {
      if (tensor->scalar) return ScalarArgument{text};
      return TensorArgument{text};
    }
    const bool plain_name = spec_.find_axis(text) == nullptr && name_fault(text).empty();
    if (plain_name) {
      wrong(pointer, fmt::format("{}: `{}` is no tensor, scalar or axis of the op; {}", what, text,
                                 name_hint(text, argument_names(spec_))));
      return IntegerArgument{Expression::constant(1)};
    }
    return IntegerArgument{expression(json, pointer, what)};
  }

  Argument tensor_map(const Json& json, const std::string& pointer, const std::string& what) {
    const std::string at = pointer + "/tensor_map";
    TensorMapResult result =
        read_tensor_map(json, spec_, [&](const Json& value, const std::string& member) {
          return expression(value, at + "/" + member, what + ": " + member);
        });
    for (const std::string& fault : result.faults) wrong(at, what + ": " + fault);
    return std::move(result.map);
  }

  void check_outputs() {
    for (const Tensor& output : spec_.outputs) {
      const auto takes = [&](const Argument& argument) {
        return tensor_of(argument) == output.name;
      };
      const bool written =
          std::any_of(plan_.launches.begin(), plan_.launches.end(), [&](const Launch& launch) {
            return std::any_of(launch.arguments.begin(), launch.arguments.end(), takes);
          });
      if (!written) {
        wrong("/launches", fmt::format("no launch takes the output `{}`, so nothing can write it; "
                                       "pass it in `args`",
                                       output.name));
      }
    }
  }

  void check_workspace() {
    if (plan_.workspace_bytes.text() != "0") return;
    for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
      for (std::size_t j = 0; j < plan_.launches[i].arguments.size(); ++j) {
        if (!uses_workspace(plan_.launches[i].arguments[j])) continue;
        wrong(fmt::format("/launches/{}/args/{}", i, j),
              fmt::format("args[{}] points into the workspace, which has 0 bytes; set "
                          "`workspace_bytes`",
                          j));
      }
    }
  }

  const JsonDocument& document_;
  const OpSpec& spec_;
  std::vector<std::string> axes_;
  LaunchPlan plan_;
  std::vector<PlanProblem> problems_;
};

}  // namespace

PlanProblem problem_from_text(const std::string& text, const std::filesystem::path& path) {
  PlanProblem problem{text, 0};
  const std::string prefix = path.string() + ":";
  if (text.compare(0, prefix.size(), prefix) != 0) return problem;
  std::size_t at = prefix.size();
  const auto number = [&] {
    std::size_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = value * 10 + static_cast<std::size_t>(text[at] - '0');
    }
    return value;
  };
  const std::size_t line = number();
  if (line == 0 || text.compare(at, 1, ":") != 0) {
    problem.message =
        text.substr(prefix.size() + (text.compare(prefix.size(), 1, " ") == 0 ? 1 : 0));
    return problem;
  }
  ++at;
  number();
  problem.line = line;
  problem.message = text.substr(std::min(text.size(), at + 2));  // behind ": "
  return problem;
}

PlanResult read_plan(const JsonDocument& document, const OpSpec& spec, PlanForm form) {
  PlanResult result;
  for (const std::string& violation : schema_violations(
           document, form == PlanForm::cuda ? k_plan_schema : k_compiled_plan_schema)) {
    result.problems.push_back(problem_from_text(violation, document.path));
  }
  if (!result.problems.empty()) return result;
  return Reader(document, spec).read();
}

PlanResult extract_plan(const std::string& source, const std::filesystem::path& path,
                        const OpSpec& spec, PlanForm form) {
  PlanComment comment = find_plan_comment(source, form);
  if (!comment.problems.empty()) return {std::nullopt, std::move(comment.problems)};
  try {
    return read_plan(parse_json(std::move(comment.json), path, comment.first_line), spec, form);
  } catch (const Error& error) {
    return {std::nullopt, {problem_from_text(error.what(), path)}};
  }
}

}  // namespace kernelloop
