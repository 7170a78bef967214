// The bodies of complete answers, as each dialect writes them.
#pragma once

#include <string>

namespace kernelloop {

// `path` tells the dialect.
std::string stream_body(const std::string& path, const std::string& text);
std::string json_body(const std::string& path, const std::string& text);

}  // namespace kernelloop
