#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/process.hpp"

#include "bundle/bundle.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr int k_result_schema = 1;

// A directory at the beginning of an argument.
std::string filled(const std::string& argument, const fs::path& out, const fs::path& cache) {
  if (argument == "{cache}") return cache.string();
  constexpr std::string_view k_out = "{out}/";
  if (argument.rfind(k_out, 0) == 0) return (out / argument.substr(k_out.size())).string();
  return argument;
}

// The files that the step wrote, as text: all of them are.
Json written(const fs::path& out) {
  Json files = Json::object();
  for (const fs::directory_entry& entry : fs::directory_iterator(out)) {
    if (entry.is_regular_file()) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
  }
  return files;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

Json run_bundle(const Bundle& bundle, const fs::path& program, const fs::path& cache) {
  const TemporaryDirectory out;
  Command command;
  command.arguments = {program.string(), bundle.line.step};
  for (const std::string& argument : bundle.line.arguments) {
    command.arguments.push_back(filled(argument, out.path(), cache));
  }
  if (bundle.sandbox_required) command.variables["KERNELLOOP_SANDBOX"] = "required";
  command.directory = bundle.directory;
  command.timeout = std::chrono::hours(24);  // the step has limits of its own
  const ProcessResult result = run(command);
  if (result.signal != 0 || result.timed_out) {
    fail(ExitCode::environment, "the step {} ended badly: {}", bundle.line.step, result.describe());
  }
  return {{"schema_version", k_result_schema}, {"bundle", bundle.address},
          {"step", bundle.line.step},          {"exit_code", result.exit_code},
          {"output", result.output},           {"error_output", result.error_output},
          {"files", written(out.path())}};
}

int collect_result(const Bundle& bundle, const JsonDocument& result, const StepLine& line) {
  const Json& json = result.value;
  const auto exit_code = count_member(json, "exit_code");
  if (text_member(json, "bundle") != bundle.address || !exit_code ||
      !member(json, "files").is_object()) {
    fail(ExitCode::bad_input, "{}: is not the result of the bundle {}; run it again",
         result.path.string(), bundle.address);
  }
  const fs::path output = value_of(words_of(line), StepWord::Kind::output);
  const std::string last = output.filename().string();
  const auto put = [&](const std::string& name, const Json& content) {
    if (output.empty() || !is_plain_name(name) || !content.is_string()) {
      fail(ExitCode::bad_input, "{}: '{}' is no file that the step may write", result.path.string(),
           name);
    }
    write_file_if_changed(output.parent_path() / name, content.get<std::string>());
  };
  // What Ninja waits for comes last, as the step itself does it.
  for (const auto& [name, content] : json["files"].items()) {
    if (name != last) put(name, content);
  }
  if (json["files"].contains(last)) put(last, json["files"][last]);
  fmt::print("{}", text_member(json, "output"));
  fmt::print(stderr, "{}", text_member(json, "error_output"));
  return static_cast<int>(*exit_code);
}

}  // namespace kernelloop
