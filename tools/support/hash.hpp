// SHA-256, for everything that is compared across machines and time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kernelloop {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace kernelloop
