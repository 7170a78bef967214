// The ContextReader as the tools of a conversation: search, read, list, grep.
#pragma once

#include "propose/reading_tool.hpp"

#include "context/context_reader.hpp"

#include <memory>
#include <vector>

namespace kernelloop {

// The declarations are the same for every operator and version. `reader` must outlive the tools.
std::vector<std::unique_ptr<ReadingTool>> make_reading_tools(ContextReader& reader);

}  // namespace kernelloop
