// The op that the benchmark times, and contestants that take as long as one asks for.
#pragma once

#include "bench/contestant.hpp"
#include "spec/op_spec.hpp"

#include <cstdint>
#include <string>

namespace kernelloop {

// One workload of `elements` float32 values in and out.
OpSpec busy_spec(std::int64_t elements);

// kernel "busy": `work` rounds. Kernel "copy": `work` thousandths of the elements, from 1000 on.
Contestant busy_contestant(const std::string& name, const std::string& kernel, int work);

}  // namespace kernelloop
