#include "propose/templates.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelloop {

extern const std::string_view k_prompt_system;
extern const std::string_view k_prompt_task;
extern const std::string_view k_prompt_device_90a;
extern const std::string_view k_prompt_device_generic;
extern const std::string_view k_prompt_device_cpu;
extern const std::string_view k_prompt_ask_seed;
extern const std::string_view k_prompt_ask_fix;
extern const std::string_view k_prompt_ask_optimise;
extern const std::string_view k_prompt_ask_branch;
extern const std::string_view k_prompt_remedy_traffic;
extern const std::string_view k_prompt_remedy_memory;
extern const std::string_view k_prompt_remedy_latency;
extern const std::string_view k_prompt_remedy_spills;
extern const std::string_view k_prompt_remedy_launch;
extern const std::string_view k_prompt_remedy_compute;
extern const std::string_view k_prompt_remedy_unknown;
extern const std::string_view k_prompt_followup_compile;
extern const std::string_view k_prompt_followup_answer;
extern const std::string_view k_prompt_followup_duplicate;
extern const std::string_view k_prompt_tools;
extern const std::string_view k_prompt_agent_guide;

namespace {

std::string_view built_in(const std::string& name) {
  static const std::array<std::pair<const char*, std::string_view>, 21> k_texts{
      {{"system", k_prompt_system},
       {"task", k_prompt_task},
       {"device_90a", k_prompt_device_90a},
       {"device_generic", k_prompt_device_generic},
       {"device_cpu", k_prompt_device_cpu},
       {"ask_seed", k_prompt_ask_seed},
       {"ask_fix", k_prompt_ask_fix},
       {"ask_optimise", k_prompt_ask_optimise},
       {"ask_branch", k_prompt_ask_branch},
       {"remedy_traffic", k_prompt_remedy_traffic},
       {"remedy_memory", k_prompt_remedy_memory},
       {"remedy_latency", k_prompt_remedy_latency},
       {"remedy_spills", k_prompt_remedy_spills},
       {"remedy_launch", k_prompt_remedy_launch},
       {"remedy_compute", k_prompt_remedy_compute},
       {"remedy_unknown", k_prompt_remedy_unknown},
       {"followup_compile", k_prompt_followup_compile},
       {"followup_answer", k_prompt_followup_answer},
       {"followup_duplicate", k_prompt_followup_duplicate},
       {"tools", k_prompt_tools},
       {"agent_guide", k_prompt_agent_guide}}};
  for (const auto& [known, text] : k_texts) {
    if (name == known) return text;
  }
  return {};
}

}  // namespace

Templates::Templates(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (!directory_.empty() && !std::filesystem::is_directory(directory_)) {
    fail(ExitCode::bad_input,
         "the directory of prompt templates {} does not exist; create it or unset "
         "KERNELLOOP_PROMPTS_DIR and prompts_dir",
         directory_.string());
  }
}

bool Templates::has(const std::string& name) const {
  if (!built_in(name).empty()) return true;
  return !directory_.empty() && std::filesystem::exists(directory_ / (name + ".md"));
}

std::string Templates::fill(const std::string& name,
                            const std::map<std::string, std::string>& values) const {
  const std::filesystem::path file = directory_ / (name + ".md");
  const bool own = !directory_.empty() && std::filesystem::exists(file);
  if (!own && built_in(name).empty()) {
    fail(ExitCode::internal, "no prompt template is called '{}'", name);
  }
  const std::string text = own ? read_file(file) : std::string(built_in(name));
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find("{{"); open != std::string::npos; open = text.find("{{", at)) {
    const std::size_t close = text.find("}}", open);
    if (close == std::string::npos) break;
    const std::string key = text.substr(open + 2, close - open - 2);
    const auto found = values.find(key);
    if (found == values.end()) {
      std::vector<std::string> known;
      for (const auto& [each, ignored] : values) known.push_back(each);
      fail(ExitCode::bad_input, "prompt template {}: unknown placeholder {{{{{}}}}}; known are: {}",
           own ? file.string() : name + ".md", key, fmt::join(known, ", "));
    }
    result.append(text, at, open - at);
    result += found->second;
    at = close + 2;
  }
  return result + text.substr(at);
}

}  // namespace kernelloop
