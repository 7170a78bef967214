// cuda::std on the CPU device: the host's standard library.
#pragma once

namespace std {}
namespace cuda::std {
using namespace ::std;
}
