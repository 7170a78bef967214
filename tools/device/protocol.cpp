#include "device/protocol.hpp"

#include "device/description.hpp"
#include "support/error.hpp"

namespace kernelloop {
namespace {

std::string to_hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte value : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(value));
  return text;
}

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Json map_to_message(const detail::TensorMapNumbers& map) {
  return {{"type", map.type},
          {"rank", map.rank},
          {"offset_bytes", map.offset_bytes},
          {"dims", map.dims},
          {"stride_bytes", map.stride_bytes},
          {"box", map.box},
          {"element_strides", map.element_strides},
          {"modes", {map.interleave, map.swizzle, map.l2_promotion, map.oob_fill}}};
}

detail::TensorMapNumbers map_from_message(const Json& json) {
  detail::TensorMapNumbers map{};
  json.at("type").get_to(map.type);
  json.at("rank").get_to(map.rank);
  json.at("offset_bytes").get_to(map.offset_bytes);
  json.at("dims").get_to(map.dims);
  json.at("stride_bytes").get_to(map.stride_bytes);
  json.at("box").get_to(map.box);
  json.at("element_strides").get_to(map.element_strides);
  const Json& modes = json.at("modes");
  modes.at(0).get_to(map.interleave);
  modes.at(1).get_to(map.swizzle);
  modes.at(2).get_to(map.l2_promotion);
  modes.at(3).get_to(map.oob_fill);
  return map;
}

Json argument_to_message(const ResolvedArgument& argument) {
  switch (argument.kind) {
    case ResolvedArgument::Kind::tensor:
      return Json{{"tensor", argument.tensor}};
    case ResolvedArgument::Kind::workspace:
      return Json{{"workspace", argument.offset}};
    case ResolvedArgument::Kind::tensor_map:
      return Json{{"tensor_map", map_to_message(argument.map)}, {"of", argument.tensor}};
    case ResolvedArgument::Kind::bytes:
      break;
  }
  return Json{{"bytes", to_hex(argument.bytes)}};
}

ResolvedArgument argument_from_message(const Json& json) {
  ResolvedArgument argument;
  if (json.contains("tensor_map")) {
    argument.kind = ResolvedArgument::Kind::tensor_map;
    argument.map = map_from_message(json.at("tensor_map"));
    json.at("of").get_to(argument.tensor);
  } else if (json.contains("tensor")) {
    argument.kind = ResolvedArgument::Kind::tensor;
    json.at("tensor").get_to(argument.tensor);
  } else if (json.contains("workspace")) {
    argument.kind = ResolvedArgument::Kind::workspace;
    json.at("workspace").get_to(argument.offset);
  } else {
    argument.bytes = from_hex(json.at("bytes").get<std::string>());
  }
  return argument;
}

Json activity_to_message(const ActivityResult& activity) {
  Json records = Json::array();
  for (const Activity& one : activity.records) {
    records.push_back({{"kind", static_cast<int>(one.kind)},
                       {"name", one.name},
                       {"iteration", one.iteration},
                       {"begin_us", one.begin_us},
                       {"end_us", one.end_us},
                       {"in_stream", one.in_stream},
                       {"grid", one.grid},
                       {"block", one.block},
                       {"cluster", one.cluster},
                       {"dynamic_shared_bytes", one.dynamic_shared_bytes},
                       {"bytes", one.bytes}});
  }
  return Json{{"records", std::move(records)},
              {"event_us", activity.event_us},
              {"held", activity.held},
              {"dropped", activity.dropped},
              {"reason", activity.reason}};
}

ActivityResult activity_from_message(const Json& json) {
  ActivityResult activity;
  for (const Json& entry : json.at("records")) {
    Activity& one = activity.records.emplace_back();
    one.kind = static_cast<Activity::Kind>(entry.at("kind").get<int>());
    entry.at("name").get_to(one.name);
    entry.at("iteration").get_to(one.iteration);
    entry.at("begin_us").get_to(one.begin_us);
    entry.at("end_us").get_to(one.end_us);
    entry.at("in_stream").get_to(one.in_stream);
    entry.at("grid").get_to(one.grid);
    entry.at("block").get_to(one.block);
    entry.at("cluster").get_to(one.cluster);
    entry.at("dynamic_shared_bytes").get_to(one.dynamic_shared_bytes);
    entry.at("bytes").get_to(one.bytes);
  }
  json.at("event_us").get_to(activity.event_us);
  json.at("held").get_to(activity.held);
  json.at("dropped").get_to(activity.dropped);
  json.at("reason").get_to(activity.reason);
  return activity;
}

Json tensors_to_message(const TensorArena& arena) {
  const TensorArena::State& state = arena.state();
  Json list = Json::array();
  for (const TensorPlace& place : state.places) {
    list.push_back({{"name", place.name},
                    {"offset", place.offset},
                    {"bytes", place.bytes},
                    {"output", place.output},
                    {"alignment", place.alignment}});
  }
  return Json{{"list", list}, {"input_size", state.input_size}, {"output_size", state.output_size}};
}

}  // namespace

Json plan_to_message(const ResolvedPlan& plan) {
  Json launches = Json::array();
  for (const ResolvedLaunch& launch : plan.launches) {
    Json arguments = Json::array();
    for (const ResolvedArgument& argument : launch.arguments) {
      arguments.push_back(argument_to_message(argument));
    }
    launches.push_back({{"kernel", launch.kernel},
                        {"grid", launch.grid},
                        {"block", launch.block},
                        {"cluster", launch.cluster},
                        {"has_cluster", launch.has_cluster},
                        {"cooperative", launch.cooperative},
                        {"programmatic_dependent", launch.programmatic_dependent},
                        {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                        {"arguments", arguments}});
  }
  Json message{{"workspace_bytes", plan.workspace_bytes}, {"launches", launches}};
  if (plan.host) {
    message["host"] = {{"op", plan.host->op},
                       {"axes", plan.host->axes},
                       {"scalars", plan.host->scalars},
                       {"shapes", plan.host->shapes}};
  }
  return message;
}

ResolvedPlan plan_from_message(const Json& json) {
  ResolvedPlan plan;
  json.at("workspace_bytes").get_to(plan.workspace_bytes);
  for (const Json& entry : json.at("launches")) {
    ResolvedLaunch launch;
    entry.at("kernel").get_to(launch.kernel);
    entry.at("grid").get_to(launch.grid);
    entry.at("block").get_to(launch.block);
    entry.at("cluster").get_to(launch.cluster);
    entry.at("has_cluster").get_to(launch.has_cluster);
    entry.at("cooperative").get_to(launch.cooperative);
    entry.at("programmatic_dependent").get_to(launch.programmatic_dependent);
    entry.at("dynamic_shared_bytes").get_to(launch.dynamic_shared_bytes);
    for (const Json& argument : entry.at("arguments")) {
      launch.arguments.push_back(argument_from_message(argument));
    }
    plan.launches.push_back(std::move(launch));
  }
  if (json.contains("host")) {
    const Json& host = json.at("host");
    plan.host.emplace();
    host.at("op").get_to(plan.host->op);
    host.at("axes").get_to(plan.host->axes);
    host.at("scalars").get_to(plan.host->scalars);
    host.at("shapes").get_to(plan.host->shapes);
  }
  return plan;
}

Json load_request(int module, const Artifact& artifact) {
  return Json{{"op", "load"},
              {"module", module},
              {"path", artifact.path.string()},
              {"kernels", artifact.kernels},
              {"host_code", artifact.host_code}};
}

Artifact artifact_from_request(const Json& json) {
  return Artifact{json.at("path").get<std::string>(),
                  json.at("kernels").get<std::vector<std::string>>(),
                  json.at("host_code").get<bool>()};
}

// A byte as a number, or {"noise": seed}.
Json poison_to_message(const Poison& poison) {
  if (poison.is_noise()) return Json{{"noise", poison.seed()}};
  return static_cast<unsigned>(poison.value());
}

Poison poison_from_message(const Json& json) {
  if (json.is_object()) return Poison::noise(json.at("noise").get<std::uint64_t>());
  return Poison(static_cast<std::byte>(json.get<unsigned>()));
}

Json run_request(const RunRequest& request, int module) {
  Json json{{"op", "run"},
            {"module", module},
            {"tensors", tensors_to_message(*request.arena)},
            {"plan", plan_to_message(request.plan)},
            {"poison", poison_to_message(request.poison)},
            {"uninitialised", request.uninitialised},
            {"placement", name_of(request.placement)},
            {"schedule_seed", request.schedule_seed}};
  if (!request.count.empty()) json["count"] = request.count;
  if (request.watch) json["watch"] = true;
  if (!request.outputs) json["outputs"] = false;
  if (request.digest_seed) json["digest_seed"] = *request.digest_seed;
  if (request.known_digest) json["known_digest"] = *request.known_digest;
  if (request.trace) {
    json["trace"] = {{"tensor", request.trace->tensor}, {"layout", to_json(request.trace->layout)}};
  }
  return json;
}

Json time_request(const TimeRequest& request) {
  Json sets = Json::array();
  for (const TensorArena* set : request.sets) sets.push_back(tensors_to_message(*set));
  Json variants = Json::array();
  for (const TimeRequest::Variant& variant : request.variants) {
    variants.push_back({{"module", variant.module}, {"plan", plan_to_message(variant.plan)}});
  }
  return Json{{"op", "time"},
              {"sets", sets},
              {"variants", variants},
              {"cache", name_of(request.cache)},
              {"warmup", request.warmup},
              {"min_samples", request.stop.min_samples},
              {"max_samples", request.stop.max_samples},
              {"precision", request.stop.precision},
              {"budget_ms", request.stop.budget.count()},
              {"seed", request.seed},
              {"digest_seed", request.digest_seed},
              {"digests", request.digests},
              {"patience_ms", request.timeout.count() / 2}};
}

Json plant_request(SanitizerTool tool) { return Json{{"op", "plant"}, {"tool", name_of(tool)}}; }

SanitizerTool tool_from_request(const Json& json) {
  const auto name = json.at("tool").get<std::string>();
  for (const SanitizerTool tool : {SanitizerTool::memcheck, SanitizerTool::racecheck,
                                   SanitizerTool::initcheck, SanitizerTool::synccheck}) {
    if (name == name_of(tool)) return tool;
  }
  fail(ExitCode::internal, "there is no tool '{}'", name);
}

std::vector<SharedTensor> map_tensors(const Json& tensors, std::span<const Descriptor> memories,
                                      MappingCache& cache) {
  if (memories.size() != 2) fail(ExitCode::internal, "a request came without its two memories");
  std::byte* inputs =
      cache.map(memories[0].get(), tensors.at("input_size").get<std::size_t>(), false);
  std::byte* outputs =
      cache.map(memories[1].get(), tensors.at("output_size").get<std::size_t>(), true);
  std::vector<SharedTensor> mapped;
  for (const Json& entry : tensors.at("list")) {
    SharedTensor tensor;
    entry.at("name").get_to(tensor.name);
    entry.at("bytes").get_to(tensor.bytes);
    entry.at("output").get_to(tensor.output);
    entry.at("alignment").get_to(tensor.alignment);
    std::byte* base = tensor.output ? outputs : inputs;
    if (tensor.bytes > 0) tensor.data = base + entry.at("offset").get<std::size_t>();
    mapped.push_back(std::move(tensor));
  }
  return mapped;
}

RunJob run_job_from_request(const Json& json, std::vector<SharedTensor> tensors) {
  RunJob job;
  job.tensors = std::move(tensors);
  job.plan = plan_from_message(json.at("plan"));
  json.at("module").get_to(job.module);
  job.poison = poison_from_message(json.at("poison"));
  json.at("uninitialised").get_to(job.uninitialised);
  job.placement = placement_named(json.at("placement").get<std::string>());
  json.at("schedule_seed").get_to(job.schedule_seed);
  job.count = json.value("count", std::vector<std::string>());
  job.watch = json.value("watch", false);
  job.outputs = json.value("outputs", true);
  if (const auto digest = json.find("known_digest"); digest != json.end()) {
    job.known_digest = digest->get<std::uint64_t>();
  }
  if (const auto seed = json.find("digest_seed"); seed != json.end()) {
    job.digest_seed = seed->get<std::uint64_t>();
  }
  if (const auto trace = json.find("trace"); trace != json.end()) {
    job.trace = TraceBuffer{trace_layout_from_json(trace->at("layout")),
                            trace->at("tensor").get<std::string>()};
  }
  return job;
}

std::vector<std::vector<SharedTensor>> map_sets(const Json& sets,
                                                std::span<const Descriptor> memories,
                                                MappingCache& cache) {
  if (memories.size() != 2 * sets.size()) {
    fail(ExitCode::internal, "a request came without the memories of its sets");
  }
  std::vector<std::vector<SharedTensor>> mapped;
  for (const Json& set : sets) {
    mapped.push_back(map_tensors(set, memories.subspan(2 * mapped.size(), 2), cache));
  }
  return mapped;
}

TimeJob time_job_from_request(const Json& json, std::vector<std::vector<SharedTensor>> sets) {
  TimeJob job;
  job.sets = std::move(sets);
  for (const Json& entry : json.at("variants")) {
    job.variants.push_back({entry.at("module").get<int>(), plan_from_message(entry.at("plan"))});
  }
  job.cache = cache_state_named(json.at("cache").get<std::string>());
  json.at("warmup").get_to(job.warmup);
  json.at("min_samples").get_to(job.stop.min_samples);
  json.at("max_samples").get_to(job.stop.max_samples);
  json.at("precision").get_to(job.stop.precision);
  job.stop.budget = std::chrono::milliseconds(json.at("budget_ms").get<std::int64_t>());
  json.at("seed").get_to(job.seed);
  json.at("digest_seed").get_to(job.digest_seed);
  json.at("digests").get_to(job.digests);
  job.patience = std::chrono::milliseconds(json.at("patience_ms").get<std::int64_t>());
  return job;
}

Json run_reply(const RunResult& result) {
  Json reply{{"fault", fault_to_json(result.fault)},
             {"changed_inputs", result.changed_inputs},
             {"placement", name_of(result.placement)},
             {"input_protection", result.input_protection},
             {"addresses", result.addresses},
             {"traced_us", result.traced_us},
             {"counters",
              {{"chip", result.counters.chip},
               {"passes", result.counters.passes},
               {"values", result.counters.values},
               {"reason", result.counters.reason}}},
             {"activity", activity_to_message(result.activity)}};
  if (result.digest) reply["digest"] = *result.digest;
  return reply;
}

RunResult run_result_from_reply(const Json& json) {
  RunResult result;
  result.fault = fault_from_json(json.at("fault"));
  if (json.contains("changed_inputs")) json.at("changed_inputs").get_to(result.changed_inputs);
  if (json.contains("placement")) {
    result.placement = placement_named(json.at("placement").get<std::string>());
  }
  result.input_protection = json.value("input_protection", "");
  if (json.contains("addresses")) json.at("addresses").get_to(result.addresses);
  if (json.contains("traced_us")) json.at("traced_us").get_to(result.traced_us);
  if (const auto counters = json.find("counters"); counters != json.end()) {
    counters->at("chip").get_to(result.counters.chip);
    counters->at("passes").get_to(result.counters.passes);
    result.counters.values = counters->at("values").get<std::map<std::string, double>>();
    counters->at("reason").get_to(result.counters.reason);
  }
  if (const auto activity = json.find("activity"); activity != json.end()) {
    result.activity = activity_from_message(*activity);
  }
  if (const auto digest = json.find("digest"); digest != json.end()) {
    result.digest = digest->get<std::uint64_t>();
  }
  return result;
}

Json time_reply(const TimeResult& result) {
  Json variants = Json::array();
  for (const std::vector<TimeSample>& samples : result.samples) {
    Json list = Json::array();
    for (const TimeSample& sample : samples) {
      list.push_back({sample.us, sample.clock_mhz, sample.set, sample.throttled});
    }
    variants.push_back(std::move(list));
  }
  return Json{{"fault", fault_to_json(result.fault)},
              {"faulty_variant", result.faulty_variant},
              {"samples", std::move(variants)},
              {"launches_per_sample", result.launches_per_sample},
              {"addresses", result.addresses},
              {"graph", result.graph},
              {"power_watts", result.power_watts},
              {"throttling", result.throttling},
              {"rechecks", {result.rechecks.count, result.rechecks.differing}},
              {"unlike", result.unlike}};
}

TimeResult time_result_from_reply(const Json& json) {
  TimeResult result;
  result.fault = fault_from_json(json.at("fault"));
  if (!json.contains("samples")) return result;
  json.at("faulty_variant").get_to(result.faulty_variant);
  for (const Json& list : json.at("samples")) {
    std::vector<TimeSample>& samples = result.samples.emplace_back();
    for (const Json& sample : list) {
      samples.push_back({sample.at(0).get<double>(), sample.at(1).get<double>(),
                         sample.at(2).get<int>(), sample.at(3).get<bool>()});
    }
  }
  json.at("launches_per_sample").get_to(result.launches_per_sample);
  json.at("addresses").get_to(result.addresses);
  json.at("graph").get_to(result.graph);
  json.at("power_watts").get_to(result.power_watts);
  json.at("throttling").get_to(result.throttling);
  result.rechecks = {json.at("rechecks").at(0).get<int>(), json.at("rechecks").at(1).get<int>()};
  json.at("unlike").get_to(result.unlike);
  return result;
}

}  // namespace kernelloop
