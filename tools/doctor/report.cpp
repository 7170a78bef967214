#include <fmt/format.h>

#include "doctor/doctor.hpp"

#include <algorithm>

namespace kernelloop {

const char* name_of(Finding::Level level) {
  switch (level) {
    case Finding::Level::ok:
      return "ok";
    case Finding::Level::absent:
      return "absent";
    case Finding::Level::broken:
      return "broken";
  }
  return "";
}

Finding::Level worst(const std::vector<Finding>& findings) {
  Finding::Level level = Finding::Level::ok;
  for (const Finding& finding : findings) level = std::max(level, finding.level);
  return level;
}

std::string to_text(const std::vector<Finding>& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.topic.size());
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<6}  {:<{}}  {}\n", name_of(finding.level), finding.topic, width,
                        finding.text);
    if (!finding.remedy.empty()) text += fmt::format("{:{}}{}\n", "", width + 10, finding.remedy);
  }
  return text;
}

Json to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"topic", finding.topic},
                    {"level", name_of(finding.level)},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
  }
  return {{"schema_version", 1}, {"level", name_of(worst(findings))}, {"findings", list}};
}

}  // namespace kernelloop
