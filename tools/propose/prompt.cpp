#include "propose/prompt.hpp"

#include "propose/language_choice.hpp"
#include "propose/meter.hpp"
#include "propose/prompt_fit.hpp"
#include "propose/prompt_sections.hpp"
#include "propose/steering_text.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include "languages/version_source.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

constexpr std::size_t k_most_problems = 6;
constexpr std::size_t k_most_tried = 30;
constexpr std::size_t k_least_tried = 5;

bool is_speed_round(const std::string& mode) { return mode == "optimise" || mode == "branch"; }

std::string read_reference(const OpConfig& config) {
  return config.reference_source.empty() ? std::string("(not given)\n")
                                         : read_file(config.reference_source);
}

// Whether the version to start from is in another language.
bool changes_language(const OpConfig& config, const Prompt& prompt) {
  const int parent = version_number(prompt.parent);
  const auto source = parent > 0 ? find_version_source(config.version_dir(parent)) : std::nullopt;
  return source && source->language != prompt.language;
}

// What the ask of this round can name. A speed round names one bottleneck and what shows it.
std::string ask_text(const OpConfig& config, int version, const std::optional<History>& history,
                     const Prompt& prompt, const Templates& templates) {
  std::map<std::string, std::string> values{{"op", config.op},
                                            {"parent", prompt.parent},
                                            {"lane", lane_text(config, version)},
                                            {"failure", ""},
                                            {"bottleneck", ""},
                                            {"evidence", ""},
                                            {"remedy", ""},
                                            {"language", prompt.language->title}};
  const VersionRecord* parent = history ? history->find(prompt.parent) : nullptr;
  if (parent != nullptr) values["failure"] = parent->failure;
  if (is_speed_round(prompt.mode)) {
    const Bottleneck limit =
        parent != nullptr && parent->bottleneck ? *parent->bottleneck : Bottleneck{};
    values["bottleneck"] = limit.what;
    values["evidence"] = evidence_text(limit);
    values["remedy"] = templates.fill("remedy_" + limit.kind);
  }
  if (changes_language(config, prompt)) return templates.fill("ask_port", values);
  return templates.fill("ask_" + prompt.mode, values);
}

// What a prompt does without when room is short, the least needed first. A speed round starts from
// a version that is right and carries its own evidence; a repair needs reference and feedback.
std::vector<Cut> cuts_for(const std::string& mode, const std::optional<History>& history) {
  std::vector<Cut> cuts;
  if (history) {
    cuts.push_back({"tried", tried_section(*history, k_least_tried),
                    "all but the last rows of what was tried"});
  }
  cuts.push_back({"best", "", "the source of the fastest version"});
  cuts.push_back({"tried", "", "what was tried"});
  if (is_speed_round(mode)) cuts.push_back({"feedback", "", "what was measured last"});
  cuts.push_back({"device", "", "the notes on the device"});
  if (is_speed_round(mode)) {
    cuts.push_back({"reference", "(left out; the version to start from is right)\n",
                    "the source of the reference"});
  }
  return cuts;
}

Json prompt_record(const FittedPrompt& fitted, const std::string& system,
                   const std::map<std::string, std::string>& parts, std::int64_t limit) {
  Json tokens{{"system", estimated_tokens(system.size())}};
  for (const auto& [name, text] : parts) {
    if (!text.empty()) tokens[name] = estimated_tokens(text.size());
  }
  return {{"limit", limit == 0 ? Json(nullptr) : Json(limit)},
          {"tokens", fitted.tokens},
          {"parts", tokens},
          {"left_out", fitted.left_out}};
}

}  // namespace

Prompt compose_prompt(const OpConfig& config, const OpSpec& spec, int version,
                      const std::optional<History>& history, const std::string& feedback,
                      const Templates& templates, const PromptOptions& options) {
  Prompt prompt;
  prompt.mode = history ? name_of(history->decision.action) : "seed";
  prompt.parent = history ? history->decision.parent : "";
  prompt.language = &language_for(config, version, history);
  prompt.system =
      templates.fill("system", {{"language", language_section(*prompt.language, templates)},
                                {"fence", prompt.language->fence}});
  if (options.tools) prompt.system += "\n" + templates.fill("tools");

  // As they follow one another in task.md: what never changes within a loop comes first.
  std::map<std::string, std::string> parts{
      {"op_summary", describe_op(spec, config.device)},
      {"reference", read_reference(config)},
      {"device", device_section(config, *prompt.language, templates)},
      {"hints", steering_text(config, version)},
      {"parent", ""},
      {"best", ""},
      {"tried", ""},
      {"feedback", feedback.empty() ? "" : "\n" + feedback}};
  if (history) {
    const VersionRecord* best = history->best();
    if (!prompt.parent.empty()) {
      parts["parent"] =
          version_section("The version to start from", config, *history, prompt.parent);
    }
    if (best != nullptr && best->version != prompt.parent) {
      parts["best"] =
          version_section("The fastest version so far", config, *history, best->version);
    }
    parts["tried"] = tried_section(*history, k_most_tried);
  }
  parts["ask"] = ask_text(config, version, history, prompt, templates);
  FittedPrompt fitted = fit_prompt(templates, prompt.system, parts, cuts_for(prompt.mode, history),
                                   options.most_tokens);
  prompt.record = prompt_record(fitted, prompt.system, parts, options.most_tokens);
  prompt.user = std::move(fitted.text);
  return prompt;
}

std::string compile_feedback(const Json& problems, const Templates& templates,
                             const Language& language) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& problem : problems) {
    if (problem.value("severity", "error") == "warning") continue;
    if (shown++ == k_most_problems) break;
    const int line = problem.value("line", 0);
    text += fmt::format("- {}{}\n", line > 0 ? fmt::format("line {}: ", line) : "",
                        problem.value("message", ""));
    if (const std::string source = problem.value("source_line", ""); !source.empty()) {
      text += "      " + source + "\n";
    }
  }
  return templates.fill("followup_compile", {{"problems", text}, {"fence", language.fence}});
}

std::string duplicate_feedback(const std::string& twin, const Templates& templates,
                               const Language& language) {
  return templates.fill("followup_duplicate", {{"version", twin}, {"fence", language.fence}});
}

std::string answer_feedback(const Extraction& extraction, const Templates& templates,
                            const Language& language) {
  return templates.fill("followup_answer", {{"problem", name_of(extraction.problem)},
                                            {"detail", extraction.detail},
                                            {"fence", language.fence}});
}

}  // namespace kernelloop
