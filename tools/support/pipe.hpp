// A pipe whose ends are closed when their owners go.
#pragma once

#include "support/descriptor.hpp"
#include "support/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kernelloop {

// Both ends close in programs that are started.
struct Pipe {
  Descriptor read;
  Descriptor write;
};

// Throws Error(code), as the caller's documented exit code has it.
inline Pipe make_pipe(ExitCode code) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail(code, "cannot create a pipe: {}", std::strerror(errno));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// One to drain: reading does not wait.
inline Pipe make_output_pipe(ExitCode code) {
  Pipe pipe = make_pipe(code);
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

}  // namespace kernelloop
