// A version's times as nvbench writes them (JSON schema 1.0.0), so that nvbench's compare scripts
// work on two of our versions, or on one of ours and a benchmark of the user's.
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

namespace kernelloop {

// From bench.json and samples.json of a version: one benchmark named as the op, one state a
// workload. Its cold samples are those that count (none under throttling, unless all count), and
// mean and relative standard deviation are theirs, because that is what nvbench's scripts compare;
// nothing else of KernelLoop uses them. Times are in seconds, fractions in one, int64 and float64
// as text, as nvbench writes them. The stdev is null for fewer than two samples. Members of the
// device that we do not know are left out. Throws Error(bad_input) for times of the CPU
// device, and where the two files do not fit.
Json nvbench_json(const Json& measured, const Json& samples);

// The same of a version of this build. Throws Error(bad_input) with what to build when it has not
// been timed here: committed evidence does not hold the samples.
Json nvbench_of(const OpConfig& config, int version);

}  // namespace kernelloop
