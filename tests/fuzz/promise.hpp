// What must hold for every input; a broken promise is a crash, which fuzzers keep the input of.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace kernelloop {

inline void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "promise broken: %s\n", what);
  std::abort();
}

}  // namespace kernelloop
