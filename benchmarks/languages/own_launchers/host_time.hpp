// A launch as a function of C, and what a call of it costs the host. Each library is one of these:
//   launch(values)              launches once; values point at the pointers of the tensors, the
//                               sizes (64 bits) and the stream; not 0: a CUDA error
//   nanoseconds(values, count)  of the host for one of count calls one after the other; negative
//                               where a call failed
#pragma once

#include <chrono>

extern "C" int launch(void** values);

extern "C" inline __attribute__((used)) double nanoseconds(void** values, int count) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    if (launch(values) != 0) return -1;
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / count;
}

template <class Value>
Value at(void** values, int number) {
  return *static_cast<Value*>(values[number]);
}
