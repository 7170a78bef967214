#include "languages/adapter.hpp"

#include "spec/multiples.hpp"
#include "support/embedded_texts.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/process.hpp"
#include "support/process_tree.hpp"
#include "support/sandbox.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace kernelloop {

EmbeddedTexts built_in_adapter_modules();  // adapters/*.py that are no adapters

namespace {

// What a compiler may rely on; wider accesses need no more.
constexpr std::int64_t k_useful_factor = 16;
constexpr std::size_t k_most_result_bytes = std::size_t{64} << 20;
constexpr std::size_t k_most_processes = 64;  // compilers start a few
constexpr std::size_t k_most_problems = 50;
constexpr std::size_t k_most_dumps = 256;
constexpr std::size_t k_longest_name = 200;      // of a dump; file systems end at 255
constexpr std::size_t k_longest_message = 2000;  // bytes

Bindings fixed_axes(const OpSpec& spec) {
  Bindings fixed;
  for (const Axis& axis : spec.axes) {
    if (axis.kind == Axis::Kind::constant) fixed[axis.name] = axis.value;
  }
  return fixed;
}

std::vector<std::string> axis_names(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const Axis& axis : spec.axes) names.push_back(axis.name);
  return names;
}

struct DescribeArgument {
  const OpSpec& spec;
  const Launch& launch;
  const Bindings& fixed;

  Json operator()(const TensorArgument& argument) const {
    const Tensor& tensor = *spec.find_tensor(argument.tensor);
    Json described =
        describe("pointer", info(tensor.dtype).name, tensor.alignment % k_useful_factor == 0);
    Json sizes = Json::array();
    Json strides = Json::array();
    std::string stride = "1";
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
      sizes.insert(sizes.begin(), measure(*size));
      strides.insert(strides.begin(), measure(stride));
      stride = stride == "1" ? *size : fmt::format("({}) * ({})", *size, stride);
    }
    described["sizes"] = std::move(sizes);
    described["strides"] = std::move(strides);
    return described;
  }
  Json operator()(const ScalarArgument& argument) const {
    return describe("scalar", info(spec.find_tensor(argument.input)->dtype).name, false);
  }
  Json operator()(const IntegerArgument& argument) const {
    return describe("integer", "",
                    is_multiple(argument.value, launch.when, k_useful_factor, fixed));
  }
  Json operator()(const WorkspaceArgument& argument) const {
    return describe("pointer", "uint8",
                    is_multiple(argument.offset, launch.when, k_useful_factor, fixed));
  }
  Json operator()(const TensorMapArgument& argument) const {
    Json described = describe("tensor_map", argument.dtype, true);
    described["written"] =
        std::any_of(spec.outputs.begin(), spec.outputs.end(),
                    [&](const Tensor& output) { return output.name == argument.tensor; });
    return described;
  }

 private:
  // A number of elements.
  [[nodiscard]] Json measure(const std::string& text) const {
    const bool divisible =
        is_multiple(Expression::parse(text), launch.when, k_useful_factor, fixed);
    return {{"plan", text}, {"divisible_by_16", divisible}};
  }

  static Json describe(const char* kind, std::string_view dtype, bool divisible) {
    return {{"kind", kind}, {"dtype", dtype}, {"divisible_by_16", divisible}};
  }
};

Json job_json(const AdapterJob& job) {
  const Bindings fixed = fixed_axes(*job.spec);
  Json launches = Json::array();
  for (const Launch& launch : job.plan.launches) {
    Json arguments = Json::array();
    for (const Argument& argument : launch.arguments) {
      arguments.push_back(std::visit(DescribeArgument{*job.spec, launch, fixed}, argument));
      arguments.back()["plan"] = argument_to_json(argument);
    }
    launches.push_back({{"function", launch.kernel},
                        {"arguments", arguments},
                        {"constants", launch.constants},
                        {"options", launch.options},
                        {"axes", axis_names(*job.spec)}});
  }
  return {
      {"source", job.source.string()}, {"architecture", job.architecture}, {"launches", launches}};
}

// All that the source can write to. What is made of its result lies beside it, out of its reach.
std::filesystem::path folder_of(const AdapterJob& job) { return job.work_dir / "adapter"; }

// A file, and no link to one that the source itself could not read.
bool is_own_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored));
}

ProcessResult run_confined(const AdapterJob& job) {
  Command command;
  command.arguments = {job.toolchain->python.string(), "-s", "-B", "adapter.py", "job.json"};
  command.timeout = 10 * job.timeout;
  command.cpu_limit =
      std::chrono::seconds((job.timeout + std::chrono::milliseconds(999)).count() / 1000);
  command.memory_limit = job.memory_limit;
  command.file_limit = k_most_result_bytes;
  command.most_processes = k_most_processes;
  command.most_threads = k_most_threads;
  command.most_memory = half_of_memory();
  const std::map<std::string, std::string> variables = {
      {"TRITON_CACHE_DIR", "/tmp/cache"}, {"TRITON_HOME", "/tmp"}, {"PYTHONHASHSEED", "0"}};
  if (sandbox_mode() == SandboxMode::off) {
    command.directory = folder_of(job);
    command.variables = variables;
    command.variables["TRITON_CACHE_DIR"] = (folder_of(job) / "cache").string();
    return run(command);
  }
  if (const std::string& problem = sandbox_problem(); !problem.empty()) {
    fail(ExitCode::environment,
         "{} sources run while they are compiled, and nothing confines them here: {}; or set "
         "KERNELLOOP_SANDBOX=off to let them run as you",
         job.language->title, problem);
  }
  SandboxRules rules;
  rules.readable = job.toolchain->readable;
  rules.readable.push_back(job.source);
  rules.writable = {folder_of(job)};
  rules.variables = variables;
  return run(confine(command, rules));
}

std::array<Expression, 3> constants(const Json& values) {
  return {Expression::constant(values.at(0).get<std::int64_t>()),
          Expression::constant(values.at(1).get<std::int64_t>()),
          Expression::constant(values.at(2).get<std::int64_t>())};
}

// Blocks of a launch, as an expression.
std::string blocks_of(const Launch& launch) {
  return fmt::format("({}) * ({}) * ({})", launch.grid[0].text(), launch.grid[1].text(),
                     launch.grid[2].text());
}

// Adds what the compiler chose to the plan as it was written.
class PlanFiller {
 public:
  PlanFiller(LaunchPlan plan, const OpSpec& spec) : plan_(std::move(plan)), spec_(spec) {}

  LaunchPlan fill(const Json& launches) {
    for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
      fill(plan_.launches[i], launches.at(i));
    }
    return std::move(plan_);
  }

 private:
  void fill(Launch& launch, const Json& chosen) {
    launch.kernel = chosen.at("kernel").get<std::string>();
    launch.block = constants(chosen.at("block"));
    launch.dynamic_shared_bytes =
        Expression::constant(chosen.at("dynamic_shared_bytes").get<std::int64_t>());
    launch.cooperative = chosen.at("cooperative").get<bool>();
    launch.programmatic_dependent = chosen.at("programmatic_dependent").get<bool>();
    if (const Json& grid = chosen.at("grid"); !grid.is_null()) {
      for (std::size_t i = 0; i < launch.grid.size(); ++i) {
        launch.grid[i] = Expression::parse(grid.at(i).get<std::string>());
      }
    }
    if (const Json& cluster = chosen.at("cluster"); !cluster.is_null()) {
      launch.has_cluster = true;
      launch.cluster = constants(cluster);
      // The plan's grid counts clusters, as the language's own launcher has it.
      if (chosen.at("grid").is_null())
        launch.grid[0] = Expression::parse(
            fmt::format("({}) * {}", launch.grid[0].text(), cluster.at(0).get<std::int64_t>()));
    }
    if (const Json& arguments = chosen.at("arguments"); !arguments.is_null()) {
      launch.arguments = arguments_from_json(arguments, spec_);
    }
    for (const Json& hidden : chosen.at("hidden")) {
      const auto bytes = hidden.at("scratch_bytes").get<std::int64_t>();
      const auto alignment = hidden.at("alignment").get<std::int64_t>();
      if (bytes < 0 || alignment < 1) {
        fail(ExitCode::bad_input, "{} bytes of scratch memory at multiples of {}", bytes,
             alignment);
      }
      if (bytes == 0) {
        launch.arguments.emplace_back(IntegerArgument{Expression::constant(0)});  // a null pointer
        continue;
      }
      const std::string begin = aligned(alignment);
      launch.arguments.emplace_back(WorkspaceArgument{Expression::parse(begin)});
      plan_.workspace_bytes =
          Expression::parse(fmt::format("{} + {} * {}", begin, blocks_of(launch), bytes));
    }
    launch.constants = Json::object();
    launch.options = Json::object();
  }

  // The end of the workspace so far.
  [[nodiscard]] std::string aligned(std::int64_t alignment) const {
    const std::string& bytes = plan_.workspace_bytes.text();
    if (bytes == "0") return bytes;
    return fmt::format("ceil_div({}, {}) * {}", bytes, alignment, alignment);
  }

  LaunchPlan plan_;
  const OpSpec& spec_;
};

std::vector<AdapterProblem> problems_of(const Json& result) {
  std::vector<AdapterProblem> problems;
  for (const Json& problem : result.at("problems")) {
    if (problems.size() == k_most_problems) break;
    const auto line = problem.at("line").get<std::int64_t>();
    problems.push_back({plain_text(problem.at("message").get<std::string>(), k_longest_message),
                        static_cast<std::size_t>(std::max<std::int64_t>(line, 0))});
  }
  return problems;
}

// A name, not a path, that can be part of another.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= k_longest_name &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '$';
         });
}

std::vector<std::filesystem::path> dumps_of(const AdapterJob& job, const Json& result) {
  std::vector<std::filesystem::path> dumps;
  for (const Json& name : result.at("files")) {
    if (dumps.size() == k_most_dumps) break;
    const auto text = name.get<std::string>();
    if (is_plain_name(text) && is_own_file(folder_of(job) / text)) {
      dumps.push_back(folder_of(job) / text);
    }
  }
  return dumps;
}

// The source ran where this was written, and may have written it: nothing of it is taken as true.
AdapterRun read_result(const AdapterJob& job, const Json& result) {
  AdapterRun run;
  if (result.at("status") != "built") {
    run.outcome = AdapterRun::Outcome::rejected;
    run.problems = problems_of(result);
    if (run.problems.empty()) run.problems.push_back({"it is refused without a reason", 0});
    return run;
  }
  run.outcome = AdapterRun::Outcome::built;
  const LaunchPlan filled = PlanFiller(job.plan, *job.spec).fill(result.at("launches"));
  // Held against the rules for plans, as the device program does, which takes no other.
  run.plan = plan_from_json(plan_to_json(filled), *job.spec);
  for (std::size_t i = 0; i < run.plan.launches.size(); ++i) {
    run.plan.launches[i].line = job.plan.launches[i].line;
  }
  run.ptx = job.work_dir / "kernel.ptx";
  write_file_atomic(run.ptx, result.at("ptx").get<std::string>());
  run.dumps = dumps_of(job, result);
  return run;
}

}  // namespace

AdapterRun run_adapter(const AdapterJob& job) {
  const std::filesystem::path folder = folder_of(job);
  write_file_atomic(folder / "adapter.py", job.language->adapter);
  for (const EmbeddedText& module : built_in_adapter_modules()) {
    write_file_atomic(folder / fmt::format("{}.py", module.name), module.text);
  }
  write_file_atomic(folder / "job.json", to_text(job_json(job)));
  const ProcessResult process = run_confined(job);
  AdapterRun result;
  if (process.timed_out || process.signal == SIGXCPU || process.exit_code == 128 + SIGXCPU) {
    result.outcome = AdapterRun::Outcome::timed_out;
    return result;
  }
  const std::filesystem::path written = folder / "result.json";
  if (!process.succeeded() || !is_own_file(written)) {
    result.outcome = AdapterRun::Outcome::crashed;
    result.crash = process.describe();
    if (const std::string_view line = last_line(process.error_output); !line.empty()) {
      result.crash += fmt::format(": {}", plain_text(line, k_longest_message));
    }
    return result;
  }
  try {
    if (std::filesystem::file_size(written) > k_most_result_bytes) throw std::bad_alloc();
    return read_result(job, parse_json(read_file(written), "result.json").value);
  } catch (const std::exception& error) {
    result.outcome = AdapterRun::Outcome::crashed;
    result.crash =
        fmt::format("its result makes no sense: {}", plain_text(error.what(), k_longest_message));
    return result;
  }
}

}  // namespace kernelloop
