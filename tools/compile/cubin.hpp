// Whether a file can be a cubin at all.
#pragma once

#include <filesystem>

namespace kernelloop {

// Throws Error(environment) unless the file is a whole ELF file for CUDA whose headers agree with
// its size: the driver trusts them, and a damaged cubin can take its process down.
void require_cubin(const std::filesystem::path& path);

}  // namespace kernelloop
