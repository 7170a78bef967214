// A trace for the viewers at ui.perfetto.dev and chrome://tracing.
#pragma once

#include "trace/decode.hpp"

#include <cstddef>
#include <string>

namespace kernelloop {

// Chrome's JSON trace format: one process per launch and multiprocessor, one thread per warp of a
// block, complete events for spans, times in microseconds. A block whose marks are not recorded is
// one thread: its first warp. Launches follow one another with a gap,
// since each was traced by itself. At most `max_events` events; blocks behind them are left out,
// and the metadata says so.
std::string chrome_trace(const std::vector<LaunchTrace>& launches, std::size_t max_events = 400000);

}  // namespace kernelloop
