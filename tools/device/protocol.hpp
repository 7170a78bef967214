// What parent and worker say to each other, as JSON.
//
// Requests carry an "op" (describe, load, run, time, roof, plant); replies either an "error"
// {code, message}, or the op's result. The parent throws the error as Error as long as no code of a
// candidate can have written the reply; after that, an error or a reply that does not fit what was
// asked (reply_check.hpp) is a crash of the candidate. "final": true says that
// the worker ends after this reply.
#pragma once

#include "device/device.hpp"
#include "device/mapping_cache.hpp"
#include "device/tensor_arena.hpp"

namespace kernelloop {

Json plan_to_message(const ResolvedPlan& plan);
ResolvedPlan plan_from_message(const Json& json);

Json load_request(int module, const Artifact& artifact);
Artifact artifact_from_request(const Json& json);

Json run_request(const RunRequest& request, int module);
Json time_request(const TimeRequest& request);

Json plant_request(SanitizerTool tool);
SanitizerTool tool_from_request(const Json& json);

// The inverse; tensors come from the two memories (inputs, outputs) that travelled with the request
// and stay mapped as long as `cache` keeps them. `tensors` is the member of the request that lists
// them.
std::vector<SharedTensor> map_tensors(const Json& tensors, std::span<const Descriptor> memories,
                                      MappingCache& cache);
// The same of a timing request, with two memories for every set.
std::vector<std::vector<SharedTensor>> map_sets(const Json& sets,
                                                std::span<const Descriptor> memories,
                                                MappingCache& cache);
RunJob run_job_from_request(const Json& json, std::vector<SharedTensor> tensors);
TimeJob time_job_from_request(const Json& json, std::vector<std::vector<SharedTensor>> sets);

Json run_reply(const RunResult& result);
RunResult run_result_from_reply(const Json& json);
Json time_reply(const TimeResult& result);
TimeResult time_result_from_reply(const Json& json);

}  // namespace kernelloop
