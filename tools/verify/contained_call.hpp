// Runs a function in a forked child, so that a crash or a hang stays there.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace kernelloop {

// Runs `body` in a child with its own process group. What it returns is an error text, empty for
// success. Returns that text, or how the child ended otherwise: "crashed with signal 11
// (Segmentation fault)", "did not end within 120 s (2
// threads: 1 running, 1 waiting)". The end of what the child printed follows such
// a text ("; it printed: ..."), and goes to standard error after a success.
// The child sees this process's memory as it is now, but no open file; only shared mappings come
// back.
// Throws Error(environment) when there is no process to be had.
std::string contained_call(const std::function<std::string()>& body,
                           std::chrono::milliseconds timeout);

}  // namespace kernelloop
