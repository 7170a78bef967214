#include "device/commands.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <CLI/CLI.hpp>

#include "counters/cupti.hpp"
#include "counters/metrics.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace kernelloop {
namespace {

void print_plan(const std::string& name) {
  const std::string chip = upper_case(name);
  const CounterPlan plan = plan_counters(*load_cupti(), chip, metrics_for(chip));
  fmt::print("{}: {} metrics in {} passes\n", plan.chip, plan.metrics.size(), plan.passes);
  for (const Metric& metric : all_metrics()) {
    const bool there =
        std::find(plan.metrics.begin(), plan.metrics.end(), metric.name) != plan.metrics.end();
    fmt::print("{} {} [{}]: {}\n", there ? " " : "-", metric.name, metric.unit, metric.meaning);
  }
}

}  // namespace

void add_counters_command(CLI::App& app) {
  const auto chip = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "counters", "Plan the counters of a profile for a chip; needs CUPTI and no GPU");
  command->add_option("--chip", *chip, "as CUPTI calls it: gh100 is an H100 or H200")->required();
  command->callback([chip] { print_plan(*chip); });
}

}  // namespace kernelloop
