// A report laid out for people.
#pragma once

#include "report/document.hpp"
#include "report/report.hpp"
#include "support/json.hpp"

#include <string>
#include <vector>

namespace kernelloop {

Document document_of(const Report& report);

// All operators on all devices, from their reports' JSON.
struct IndexedReport {
  Json json;         // of <path>.report.json
  std::string path;  // from the index, without a suffix: "softmax/nvidia-h200"
};
Document index_of(const std::vector<IndexedReport>& reports);

}  // namespace kernelloop
