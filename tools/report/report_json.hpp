// A report as JSON: "<device>.report.json" (docs/formats.md, "report"). Its names and numbers are
// those that cells of the pages point at.
#pragma once

#include "report/report.hpp"
#include "support/json.hpp"

namespace kernelloop {

Json to_json(const Report& report);

}  // namespace kernelloop
