// Keeps the loader of libraries away from forks.
#pragma once

#include <mutex>

namespace kernelloop {

// The loader has locks and lists of its own. A forked child gets them as they stand, with the
// threads that were at work on them gone: where one was loading a library, or walking through those
// there are, a child that loads one waits for ever, or finds the lists half changed. So this is
// held while a process is forked whose child will load a library, and by whoever loads, unloads or
// lists libraries beside other threads.
inline std::mutex& loader_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace kernelloop
