// Waits for processes that were killed, so that who killed them need not.
#pragma once

#include <vector>

namespace kernelloop {

// Starts a small process, apart from this one's group, that keeps copies of `kept` open until all
// of the processes behind `dying` (descriptors of pidfd_open) are gone, for half a minute at most.
// Clearing up behind a process takes a GPU's driver a fifth of a second, in which this program can
// end and the next one start; a lock among `kept` is released when the GPU is free. Returns false
// where no process can be had.
bool keep_until_gone(const std::vector<int>& kept, const std::vector<int>& dying);

}  // namespace kernelloop
