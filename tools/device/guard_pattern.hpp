// What stands around every tensor and workspace on a device: changed bytes show a write out of
// bounds.
#pragma once

#include <cstddef>

namespace kernelloop {

inline constexpr std::byte k_guard_pattern{0xA5};

}  // namespace kernelloop
