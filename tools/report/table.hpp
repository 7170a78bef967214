// The terminal's view of a loop: one line per version, and why it ended.
#pragma once

#include "loop/history.hpp"

#include <string>

namespace kernelloop {

// Columns: version, verdict, time (labelled with its device), against the previous best, what
// changed (the proposal's words). The last lines say which version is best and why the loop
// stopped. `total_rounds` is how many rounds the build has now.
std::string history_table(const History& history, int total_rounds);

// Why the loop stopped, or what the next build will do. One line.
std::string stop_reason(const History& history, int total_rounds);

// "41.2 µs", "3.10 ms", "1.25 s".
std::string duration_text(double microseconds);

}  // namespace kernelloop
