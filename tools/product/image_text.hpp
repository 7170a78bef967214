// A binary image as C++ text.
#pragma once

#include <string>
#include <string_view>

namespace kernelloop {

// `alignas(64) const std::uint64_t <name>[] = {0x..., ...};` with the bytes of `image` in memory
// order on a little-endian machine, padded with zeros. An array and not `.incbin`: the source is
// then complete by itself, so compiler caches, remote builds and link-time optimisation all work.
std::string image_text(std::string_view name, std::string_view image);

}  // namespace kernelloop
