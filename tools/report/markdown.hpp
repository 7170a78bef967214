// Documents as Markdown, as GitHub shows it. Plots are left out: their numbers stand in tables.
#pragma once

#include "report/document.hpp"

#include <string>

namespace kernelloop {

std::string to_markdown(const Document& document);

}  // namespace kernelloop
