// Making room in a conversation that has become too long for the model.
#pragma once

#include "propose/provider.hpp"

#include <vector>

namespace kernelloop {

// Leaves out what the last question needs least: first the turns between the task and the last
// answer, else all but the beginning of what tools brought back. The task, the last answer and the
// last question stay. Returns whether anything was left out.
bool shorten(std::vector<Turn>& turns);

}  // namespace kernelloop
