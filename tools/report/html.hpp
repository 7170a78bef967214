// Documents as pages that stand alone: no script, nothing from the network, light or dark as the
// reader's system is.
#pragma once

#include "report/document.hpp"

#include <functional>
#include <optional>
#include <string>

namespace kernelloop {

// How plots are drawn: nothing where they cannot be; then the page says so.
using DrawPlot = std::function<std::optional<std::string>(const Plot&)>;

// All text is escaped, and the page's content policy forbids scripts and loads, so that whatever a
// model wrote is inert. Cells with a pointer carry it as `data-number`.
std::string to_html(const Document& document, const DrawPlot& draw);

}  // namespace kernelloop
