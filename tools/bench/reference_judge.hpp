// Judges the outputs of a timed launch by the reference, where bits alone cannot.
#pragma once

#include "bench/bench.hpp"

#include <filesystem>

namespace kernelloop {

// Calls the reference library for the case's inputs and holds the arena's outputs against it with
// the limits that verification derives. `spec` must outlive the judge. The library is only opened
// when a case is judged.
OutputJudge reference_judge(const OpSpec& spec, const std::filesystem::path& library);

}  // namespace kernelloop
