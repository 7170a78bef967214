// The profile step: counts what the hardware does while a verified version runs cold.
#pragma once

#include "device/worker_client.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"
#include "verify/compiled_version.hpp"

#include <cstdint>
#include <string>

namespace kernelloop {

struct ProfileRequest {
  const OpSpec* spec = nullptr;  // of timing.json
  CompiledVersion compiled;
  Json verified;         // verify.json
  Json measured;         // bench.json: times and roofs; null: none
  std::string ncu_csv;   // the text of `ncu --csv`; empty: ncu is run where there is one
  std::string workload;  // "": the one that moves most bytes
  std::uint64_t seed = 0;
};

// profile.json. `status`: "profiled", "unavailable" (no CUPTI, no permission), "skipped" or
// "failed"; each with its reason. Throws Error for what is not the version's doing.
Json profile_version(const ProfileRequest& request, Worker& worker);

// The digest for people, or why there is none.
std::string profile_text(const Json& profile);

}  // namespace kernelloop
