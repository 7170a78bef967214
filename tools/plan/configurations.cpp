#include "plan/configurations.hpp"

#include "plan/plan_comment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace kernelloop {
namespace {

constexpr const char* k_list = "configurations";

void take(Json& launch, std::size_t index) {
  const auto list = launch.find(k_list);
  if (list == launch.end()) return;
  const Json chosen = list->at(std::min(index, list->size() - 1));
  launch.erase(list);
  if (chosen.contains("grid")) launch["grid"] = chosen["grid"];
  for (const char* member : {"constants", "options"}) {
    if (chosen.contains(member)) launch[member].update(chosen[member]);
  }
}

std::string text_of(const Json& configuration) {
  std::vector<std::string> parts;
  if (const auto grid = configuration.find("grid"); grid != configuration.end()) {
    parts.push_back("grid " + grid->dump());
  }
  for (const char* member : {"constants", "options"}) {
    const auto values = configuration.find(member);
    if (values == configuration.end()) continue;
    for (const auto& [name, value] : values->items()) {
      parts.push_back(fmt::format("{} {}", name, value.dump()));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::size_t count_configurations(const Json& plan) {
  std::size_t most = 1;
  for (const Json& launch : plan.at("launches")) {
    if (const auto list = launch.find(k_list); list != launch.end()) {
      most = std::max(most, list->size());
    }
  }
  return most;
}

Json with_configuration(Json plan, std::size_t index) {
  for (Json& launch : plan.at("launches")) take(launch, index);
  return plan;
}

std::optional<ConfiguredSource> configured_source(const std::string& source, std::size_t index) {
  const PlanComment comment = find_plan_comment(source, PlanForm::compiled);
  if (!comment.problems.empty()) return std::nullopt;
  const Json plan = parse_json(comment.json, "the launch plan").value;
  std::vector<std::string> texts;
  for (const Json& launch : plan.at("launches")) {
    const auto list = launch.find(k_list);
    if (list == launch.end() || list->size() <= index) continue;
    std::string text = text_of(list->at(index));
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  if (texts.empty()) return std::nullopt;
  ConfiguredSource result{source, fmt::format("{}", fmt::join(texts, "; "))};
  // The plan is the first thing in the file, so that the first place with this text is its own.
  result.source.replace(source.find(comment.json), comment.json.size(),
                        to_text(with_configuration(plan, index)));
  return result;
}

}  // namespace kernelloop
