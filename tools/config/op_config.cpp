#include "config/op_config.hpp"

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/version.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

class Reader {
 public:
  explicit Reader(const JsonDocument& document) : document_(document) {
    if (!document.value.is_object()) complain("", "must be a JSON object");
  }

  template <typename T>
  void required(const char* name, T& target) const {
    if (!document_.value.contains(name)) complain("", fmt::format("lacks \"{}\"", name));
    optional(name, target);
  }

  template <typename T>
  void optional(const char* name, T& target) const {
    const auto found = document_.value.find(name);
    if (found == document_.value.end()) return;
    try {
      assign(*found, target);
    } catch (const Json::exception&) {
      complain("/" + std::string(name), fmt::format("\"{}\" has the wrong type", name));
    }
  }

  void at_least(const char* name, int value, int minimum) const {
    if (value < minimum) {
      complain("/" + std::string(name), fmt::format("\"{}\" must be at least {}", name, minimum));
    }
  }

  [[noreturn]] void complain(const std::string& pointer, const std::string& what) const {
    fail(ExitCode::bad_input, "{}: {}; configure the project again with CMake",
         document_.where(pointer), what);
  }

 private:
  template <typename T>
  static void assign(const Json& value, T& target) {
    target = value.get<T>();
  }
  static void assign(const Json& value, std::filesystem::path& target) {
    target = value.get<std::string>();
  }

  const JsonDocument& document_;
};

}  // namespace

OpConfig load_config(const std::filesystem::path& path) {
  const JsonDocument document = read_json(path);
  const Reader read(document);
  OpConfig config;
  config.path = path;
  read.required("op", config.op);
  read.required("spec", config.spec);
  read.required("reference_source", config.reference_source);
  read.required("build_dir", config.build_dir);
  read.required("generated_dir", config.generated_dir);
  read.required("reports_dir", config.reports_dir);
  config.recordings_dir = config.generated_dir;
  read.optional("recordings_dir", config.recordings_dir);
  read.optional("hints", config.hints);
  read.optional("context", config.context);
  read.optional("notes_dir", config.notes_dir);
  read.optional("baselines", config.baselines);
  read.optional("languages", config.languages);
  read.required("versions", config.versions);
  read.optional("candidates", config.candidates);
  read.optional("fix_limit", config.fix_limit);
  read.optional("provider", config.provider);
  read.optional("model", config.model);
  config.budget = budget_from_json(document, "/budget");
  config.run_budget = budget_from_json(document, "/run_budget");
  read.optional("sol_target", config.sol_target);
  read.optional("architectures", config.architectures);
  read.optional("compile_options", config.compile_options);
  read.required("device", config.device);
  read.optional("nvcc", config.nvcc);
  read.optional("host_compiler", config.host_compiler);
  read.optional("cpu_include_dir", config.cpu_include_dir);
  read.optional("device_tool", config.device_tool);
  read.optional("reference_library", config.reference_library);
  read.optional("device_launcher", config.device_launcher);
  read.optional("fleet", config.fleet);
  if (config.languages.empty()) read.complain("/languages", "\"languages\" must not be empty");
  read.at_least("versions", config.versions, 1);
  read.at_least("candidates", config.candidates, 1);
  read.at_least("fix_limit", config.fix_limit, 0);
  if (config.device != "cuda" && config.device != "cpu") {
    read.complain("/device", "\"device\" must be \"cuda\" or \"cpu\"");
  }
  return config;
}

std::filesystem::path OpConfig::step_dir(int version) const {
  return build_dir / version_name(version);
}

std::filesystem::path OpConfig::results_dir(int version) const {
  if (device_class.empty()) return step_dir(version);
  return build_dir / "fleet" / device_class / version_name(version);
}

std::filesystem::path OpConfig::version_dir(int version) const {
  return generated_dir / op / version_name(version);
}

std::filesystem::path OpConfig::adopted_file() const { return generated_dir / op / "adopted.json"; }

int OpConfig::round_of(int version) const { return (version - 1) / candidates + 1; }

int OpConfig::first_of_round(int round) const { return (round - 1) * candidates + 1; }

int OpConfig::last_of_round(int round) const { return std::min(round * candidates, versions); }

int OpConfig::rounds() const { return round_of(versions); }

std::filesystem::path OpConfig::history_dir(int round) const {
  return step_dir(last_of_round(round));
}

}  // namespace kernelloop
