// Which build this process belongs to.
#pragma once

#include <string>

namespace kernelloop {

// A run is one Ninja process, or, where there is none above us, the process that started us: "ninja
// 4711 since 88231". Processes of one run get the same text, those of another run another one, as
// far as /proc tells.
std::string current_run();

}  // namespace kernelloop
