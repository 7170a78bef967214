#include "report/cells.hpp"
#include "report/document_of.hpp"
#include "support/json_members.hpp"

#include <fmt/format.h>

#include <utility>

namespace kernelloop {

Document index_of(const std::vector<IndexedReport>& reports) {
  Table table{"Operators, and the version that ships or is fastest",
              {"operator", "device", "version", "time", "speed of light", "bound", "speed-up",
               "against best baseline", "versions", "cost"},
              {}};
  for (const IndexedReport& one : reports) {
    const Json& json = one.json;
    const Json& shown = member(json, "shown");
    const Json& device = member(json, "device");
    const bool on_cpu = text_member(device, "kind") == "cpu";
    const auto at = [&](const std::string& pointer) {
      return one.path + ".report.json#" + pointer;
    };
    Cell time = duration_cell(number_member(shown, "time_us"), at("/shown/time_us"));
    if (on_cpu && number_member(shown, "time_us")) time.text += " wall, CPU device";
    Cell cost = money_cell(number_member(member(json, "cost"), "usd"), at("/cost/usd"));
    if (count_member(member(json, "cost"), "unknown_cost").value_or(0) > 0) {
      cost.text += " + unknown";
    }
    table.rows.push_back(
        {{text_member(json, "op"), "", one.path + ".html"},
         text_cell(text_member(device, "name")),
         text_cell(text_member(shown, "version")),
         std::move(time),
         percent_cell(number_member(shown, "sol"), at("/shown/sol")),
         text_cell(text_member(shown, "bound")),
         factor_cell(number_member(shown, "speed_up"), at("/shown/speed_up")),
         factor_cell(number_member(shown, "against_baseline"), at("/shown/against_baseline")),
         {fmt::format("{}", list_member(json, "versions").size())},
         std::move(cost)});
  }
  Document document;
  document.title = "Operators";
  if (table.rows.empty()) {
    document.blocks.emplace_back(Paragraph{"There is no report yet."});
  } else {
    document.blocks.emplace_back(std::move(table));
  }
  return document;
}

}  // namespace kernelloop
