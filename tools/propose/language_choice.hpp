// In which of an operator's languages a version is written.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"

#include "languages/language.hpp"

#include <optional>

namespace kernelloop {

// The first rounds try each language of LANGUAGE once, a lane each where a round has several. After
// that a repair or a step stays in the language of the version it starts from, and a round that
// leaves the beaten track takes the next language. Depends on nothing but its arguments and the
// source that the history points at.
const Language& language_for(const OpConfig& config, int version,
                             const std::optional<History>& history);

}  // namespace kernelloop
