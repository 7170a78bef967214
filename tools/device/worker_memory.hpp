// How much memory a worker takes, as its parent sees it.
#pragma once

#include "support/process_tree.hpp"

#include <sys/types.h>

#include <cstddef>

namespace kernelloop {

// What a worker may take beside the tensors that its parent shares with it: half of the machine.
std::size_t default_worker_memory();

// The child of a process that has one, or of several the first; -1: there is none, or the kernel
// does not tell.
pid_t child_of(pid_t process);

}  // namespace kernelloop
