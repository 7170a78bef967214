// Where a key comes from: the environment, a file of its own, or a program that prints it.
#pragma once

#include "propose/dialect.hpp"

namespace kernelloop {

// The endpoint with its key read. A file must belong to this user and be open to nobody else (mode
// 0600 or 0400); a program runs for half a minute at most and prints the key on one line. Throws
// Error(provider) saying what to do, also for an endpoint that lacks something else; no message
// holds a part of the key.
Endpoint with_key(Endpoint endpoint);

}  // namespace kernelloop
