// The adapters that the build found, as text.
#pragma once

#include <string_view>
#include <vector>

namespace kernelloop {

std::vector<std::string_view> adapter_texts();

}  // namespace kernelloop
