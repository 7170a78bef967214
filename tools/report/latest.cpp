#include "report/latest.hpp"

#include "loop/steering.hpp"
#include "support/error.hpp"

namespace kernelloop {

History latest_history(const OpConfig& config) {
  for (int round = config.rounds(); round >= 1; --round) {
    const std::filesystem::path file = config.history_dir(round) / "history.json";
    if (std::filesystem::exists(file)) {
      return steered(history_from_json(read_json(file)), load_steering(config), config);
    }
  }
  fail(ExitCode::bad_input, "{}: no round is done yet; build the target optimize_{} first",
       config.op, config.op);
}

}  // namespace kernelloop
