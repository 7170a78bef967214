// The trace step: runs the traced build of a verified version and says where its time goes.
#pragma once

#include "spec/op_spec.hpp"
#include "support/json.hpp"
#include "verify/compiled_version.hpp"

#include <cstdint>
#include <string>

namespace kernelloop {

struct TraceRequest {
  const OpSpec* spec = nullptr;  // of timing.json
  CompiledVersion plain;         // the version itself
  CompiledVersion traced;        // its traced build
  std::string traced_ptx;        // the text: names of the marks stand there
  Json verified;                 // verify.json
  std::string workload;          // "": the one that moves most bytes
  std::size_t buffer_bytes = std::size_t{192} << 20;
  std::uint64_t seed = 0;  // of the inputs
};

struct TraceReport {
  Json trace;           // trace.json
  std::string chrome;   // for the viewer; empty unless traced
  std::string summary;  // the digest for people
};

// A version that is not verified or misbehaves is a value: status "skipped" or "failed". Throws
// Error for what is not its doing.
TraceReport trace_version(const TraceRequest& request, Worker& worker);

}  // namespace kernelloop
