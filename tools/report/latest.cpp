#include "report/latest.hpp"

#include "loop/steering.hpp"
#include "support/error.hpp"

namespace kernelloop {

std::optional<History> find_latest_history(const OpConfig& config) {
  for (int round = config.rounds(); round >= 1; --round) {
    const std::filesystem::path file = config.history_dir(round) / "history.json";
    if (std::filesystem::exists(file)) {
      return steered(history_from_json(read_json(file)), load_steering(config), config);
    }
  }
  return std::nullopt;
}

History latest_history(const OpConfig& config) {
  if (std::optional<History> history = find_latest_history(config)) return *history;
  fail(ExitCode::bad_input, "{}: no round is done yet; build the target optimize_{} first",
       config.op, config.op);
}

}  // namespace kernelloop
