// The name of a version in paths and JSON: v001, v002, ... v1000.
#pragma once

#include <string>
#include <string_view>

namespace kernelloop {

// `number` counts from 1.
std::string version_name(int number);

// The number in "v012", or 0 when the text is not a version name.
int version_number(std::string_view name);

}  // namespace kernelloop
