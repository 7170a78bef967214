// What is sent comes out again.
#include "device/protocol.hpp"

#include "device/description.hpp"
#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"
#include <fcntl.h>

#include <cstring>

namespace kernelloop {
namespace {

using ::testing::ElementsAre;

// As it travels.
Json over_the_wire(const Json& json) { return Json::parse(json.dump()); }

TEST(Protocol, APlanSurvives) {
  ResolvedPlan plan;
  plan.workspace_bytes = std::int64_t{1} << 40;
  ResolvedLaunch launch;
  launch.kernel = "k";
  launch.grid = {2147483647, 2, 3};
  launch.block = {4, 5, 6};
  launch.cluster = {7, 8, 9};
  launch.has_cluster = true;
  launch.cooperative = true;
  launch.programmatic_dependent = true;
  launch.dynamic_shared_bytes = 232448;
  ResolvedArgument workspace;
  workspace.kind = ResolvedArgument::Kind::workspace;
  workspace.offset = 4096;
  ResolvedArgument map;
  map.kind = ResolvedArgument::Kind::tensor_map;
  map.tensor = "x";
  map.map = {9, 2, 16, {1, 2, 3, 4, 5}, {6, 7, 8, 9}, {10, 11, 12, 13, 14}, {1, 2, 3, 4, 5}, 1,
             2, 3, 1};
  launch.arguments = {test::tensor_argument("x"), workspace,
                      test::value_argument(std::uint64_t{0xFF00AA5501020380}), map};
  plan.launches = {launch};

  const ResolvedPlan copy = plan_from_message(over_the_wire(plan_to_message(plan)));
  EXPECT_EQ(copy.workspace_bytes, plan.workspace_bytes);
  ASSERT_EQ(copy.launches.size(), 1u);
  const ResolvedLaunch& got = copy.launches[0];
  EXPECT_EQ(got.kernel, "k");
  EXPECT_EQ(got.grid, launch.grid);
  EXPECT_EQ(got.block, launch.block);
  EXPECT_EQ(got.cluster, launch.cluster);
  EXPECT_TRUE(got.has_cluster);
  EXPECT_TRUE(got.cooperative);
  EXPECT_TRUE(got.programmatic_dependent);
  EXPECT_EQ(got.dynamic_shared_bytes, 232448);
  ASSERT_EQ(got.arguments.size(), 4u);
  EXPECT_EQ(got.arguments[0].kind, ResolvedArgument::Kind::tensor);
  EXPECT_EQ(got.arguments[0].tensor, "x");
  EXPECT_EQ(got.arguments[1].kind, ResolvedArgument::Kind::workspace);
  EXPECT_EQ(got.arguments[1].offset, 4096);
  EXPECT_EQ(got.arguments[2].kind, ResolvedArgument::Kind::bytes);
  EXPECT_EQ(got.arguments[2].bytes, launch.arguments[2].bytes);
  EXPECT_EQ(got.arguments[3].kind, ResolvedArgument::Kind::tensor_map);
  EXPECT_EQ(got.arguments[3].tensor, "x");
  static_assert(std::has_unique_object_representations_v<detail::TensorMapNumbers>);
  EXPECT_EQ(std::memcmp(&got.arguments[3].map, &map.map, sizeof map.map), 0);
}

TEST(Protocol, ARunRequestSurvives) {
  const TensorArena arena = test::make_tensors(10);
  RunRequest request;
  request.arena = &arena;
  request.plan = test::plan_for("twice", 10);
  request.poison = Poison::noise(0xFFFFFFFFFFFFFFFFu);
  request.uninitialised = true;
  request.placement = Placement::fence_begin;
  request.schedule_seed = ~std::uint64_t{0};
  const Json json = over_the_wire(run_request(request, 3));

  std::vector<Descriptor> memories;
  memories.emplace_back(::fcntl(arena.state().input_memory.get(), F_DUPFD_CLOEXEC, 0));
  memories.emplace_back(::fcntl(arena.state().output_memory.get(), F_DUPFD_CLOEXEC, 0));
  MappingCache cache(0);
  cache.begin_request();
  const RunJob job = run_job_from_request(json, map_tensors(json.at("tensors"), memories, cache));
  EXPECT_EQ(job.module, 3);
  EXPECT_EQ(job.poison, request.poison);
  EXPECT_TRUE(job.uninitialised);
  EXPECT_EQ(job.placement, Placement::fence_begin);
  EXPECT_EQ(job.schedule_seed, ~std::uint64_t{0});
  ASSERT_EQ(job.tensors.size(), 2u);
  EXPECT_EQ(job.tensors[0].name, "x");
  EXPECT_FALSE(job.tensors[0].output);
  EXPECT_TRUE(job.tensors[1].output);
  EXPECT_EQ(job.tensors[0].alignment, 16u);
  float value = 0;
  std::memcpy(&value, job.tensors[0].data + 9 * sizeof value, sizeof value);
  EXPECT_EQ(value, 9.5f);
}

TEST(Protocol, ARequestWithoutItsMemoriesIsABug) {
  const TensorArena arena = test::make_tensors(10);
  RunRequest request;
  request.arena = &arena;
  MappingCache cache(0);
  EXPECT_THROW(map_tensors(run_request(request, 0).at("tensors"), {}, cache), Error);
}

TEST(Protocol, TracesAndCountersSurvive) {
  const TensorArena arena = test::make_tensors(10);
  RunRequest request;
  request.arena = &arena;
  request.plan = test::plan_for("twice", 10);
  EXPECT_FALSE(run_job_from_request(over_the_wire(run_request(request, 0)), {}).trace);
  request.count = {"a.sum", "b.sum"};
  request.watch = true;
  request.trace = TraceBuffer{lay_out_trace(request.plan, 1 << 20), "y"};
  const RunJob job = run_job_from_request(over_the_wire(run_request(request, 0)), {});
  EXPECT_EQ(job.count, request.count);
  EXPECT_TRUE(job.watch);
  ASSERT_TRUE(job.trace);
  EXPECT_EQ(job.trace->tensor, "y");
  EXPECT_EQ(to_json(job.trace->layout), to_json(request.trace->layout));

  RunResult result;
  result.traced_us = {1.5, 2.5};
  Activity kernel;
  kernel.name = "k";
  kernel.iteration = 1;
  kernel.begin_us = 0.5;
  kernel.end_us = 2.5;
  kernel.in_stream = false;
  kernel.grid = {2, 3, 4};
  kernel.block = {5, 6, 7};
  kernel.cluster = {2, 1, 1};
  kernel.dynamic_shared_bytes = 8;
  Activity copy;
  copy.kind = Activity::Kind::copy;
  copy.bytes = 9;
  result.activity = {{kernel, copy}, {3.0, 4.0}, false, 1, "lost"};
  result.counters = {"GH100", 9, {{"dram__bytes_read.sum", 1e9}}, "why"};
  const RunResult back = run_result_from_reply(over_the_wire(run_reply(result)));
  EXPECT_EQ(back.traced_us, result.traced_us);
  EXPECT_EQ(back.counters.chip, "GH100");
  EXPECT_EQ(back.counters.passes, 9u);
  EXPECT_EQ(back.counters.values, result.counters.values);
  EXPECT_EQ(back.counters.reason, "why");
  ASSERT_EQ(back.activity.records.size(), 2u);
  const Activity& seen = back.activity.records[0];
  EXPECT_EQ(std::tie(seen.kind, seen.name, seen.iteration, seen.begin_us, seen.end_us),
            std::tie(kernel.kind, kernel.name, kernel.iteration, kernel.begin_us, kernel.end_us));
  EXPECT_EQ(
      std::tie(seen.in_stream, seen.grid, seen.block, seen.cluster, seen.dynamic_shared_bytes),
      std::tie(kernel.in_stream, kernel.grid, kernel.block, kernel.cluster,
               kernel.dynamic_shared_bytes));
  EXPECT_EQ(back.activity.records[1].kind, Activity::Kind::copy);
  EXPECT_EQ(back.activity.records[1].iteration, Activity::k_nobody);
  EXPECT_EQ(back.activity.records[1].bytes, 9);
  EXPECT_EQ(back.activity.event_us, result.activity.event_us);
  EXPECT_FALSE(back.activity.held);
  EXPECT_EQ(back.activity.dropped, 1);
  EXPECT_EQ(back.activity.reason, "lost");
}

TEST(Protocol, WhatComesBackOfARunSurvives) {
  const TensorArena arena = test::make_tensors(10);
  RunRequest request;
  request.arena = &arena;
  request.plan = test::plan_for("a", 10);
  const RunJob plain = run_job_from_request(over_the_wire(run_request(request, 0)), {});
  EXPECT_TRUE(plain.outputs);
  EXPECT_FALSE(plain.digest_seed.has_value());
  request.outputs = false;
  request.digest_seed = 0xFFFFFFFFFFFFFFFFu;
  request.known_digest = 0xFFFFFFFFFFFFFFFEu;
  const RunJob job = run_job_from_request(over_the_wire(run_request(request, 0)), {});
  EXPECT_FALSE(job.outputs);
  EXPECT_EQ(job.digest_seed, request.digest_seed);
  EXPECT_EQ(job.known_digest, request.known_digest);
}

TEST(Protocol, ATimeRequestSurvives) {
  const TensorArena arena = test::make_tensors(10);
  TimeRequest request;
  request.sets = {&arena, &arena};
  request.variants = {{1, test::plan_for("a", 10)}, {2, test::plan_for("b", 10)}};
  request.cache = CacheState::rotating;
  request.warmup = 7;
  request.stop = {8, 9, 0.125, std::chrono::milliseconds(10)};
  request.seed = 0xFFFFFFFFFFFFFFFFu;
  request.digest_seed = 0xFFFFFFFFFFFFFFFEu;
  request.digests = {1, 0xFFFFFFFFFFFFFFFDu};
  request.timeout = std::chrono::milliseconds(1000);
  const TimeJob job = time_job_from_request(over_the_wire(time_request(request)), {});
  ASSERT_EQ(job.variants.size(), 2u);
  EXPECT_EQ(job.variants[0].module, 1);
  EXPECT_EQ(job.variants[1].plan.launches[0].kernel, "b");
  EXPECT_EQ(job.cache, CacheState::rotating);
  EXPECT_EQ(job.warmup, 7);
  EXPECT_EQ(job.stop.min_samples, 8);
  EXPECT_EQ(job.stop.max_samples, 9);
  EXPECT_EQ(job.stop.precision, 0.125);
  EXPECT_EQ(job.stop.budget.count(), 10);
  EXPECT_EQ(job.seed, request.seed);
  EXPECT_EQ(job.digest_seed, request.digest_seed);
  EXPECT_EQ(job.digests, request.digests);
  EXPECT_EQ(job.patience.count(), 500);
}

TEST(Protocol, ResultsSurvive) {
  RunResult run;
  run.fault = {FaultKind::misaligned, "here"};
  run.changed_inputs = {"x", "w"};
  run.placement = Placement::bare;
  run.input_protection = "read_only";
  run.addresses = {{"x", 0x7f0000000100}};
  run.digest = 0xFFFFFFFFFFFFFFFFu;
  const RunResult run_copy = run_result_from_reply(over_the_wire(run_reply(run)));
  EXPECT_EQ(run_copy.fault.kind, FaultKind::misaligned);
  EXPECT_EQ(run_copy.fault.message, "here");
  EXPECT_THAT(run_copy.changed_inputs, ElementsAre("x", "w"));
  EXPECT_EQ(run_copy.placement, Placement::bare);
  EXPECT_EQ(run_copy.input_protection, "read_only");
  EXPECT_EQ(run_copy.addresses, run.addresses);
  EXPECT_EQ(run_copy.digest, run.digest);

  TimeResult time;
  time.faulty_variant = 1;
  time.samples = {{{1.25, 1980, 1, false}, {0.1, 0, 0, true}}, {{3e6, 0, 0, false}}};
  time.launches_per_sample = 40;
  time.addresses = 3;
  time.graph = true;
  time.power_watts = 512.5;
  time.throttling = {"power cap"};
  time.rechecks = {7, 2};
  time.unlike = {1};
  const TimeResult time_copy = time_result_from_reply(over_the_wire(time_reply(time)));
  EXPECT_FALSE(time_copy.fault);
  EXPECT_EQ(time_copy.faulty_variant, 1);
  ASSERT_EQ(time_copy.samples.size(), 2u);
  ASSERT_EQ(time_copy.samples[0].size(), 2u);
  EXPECT_EQ(time_copy.samples[0][0].us, 1.25);
  EXPECT_EQ(time_copy.samples[0][0].clock_mhz, 1980);
  EXPECT_EQ(time_copy.samples[0][0].set, 1);
  EXPECT_TRUE(time_copy.samples[0][1].throttled);
  EXPECT_EQ(time_copy.launches_per_sample, 40);
  EXPECT_EQ(time_copy.addresses, 3);
  EXPECT_TRUE(time_copy.graph);
  EXPECT_EQ(time_copy.power_watts, 512.5);
  EXPECT_EQ(time_copy.throttling, time.throttling);
  EXPECT_EQ(time_copy.rechecks.count, 7);
  EXPECT_EQ(time_copy.rechecks.differing, 2);
  EXPECT_EQ(time_copy.unlike, time.unlike);
}

TEST(Protocol, ATensorKeepsItsAlignment) {
  const TensorArena arena({{"x", 40, false, 2}, {"y", 40, true, 256}});
  RunRequest request;
  request.arena = &arena;
  const Json list = over_the_wire(run_request(request, 0)).at("tensors").at("list");
  EXPECT_EQ(list.at(0).at("alignment"), 2);
  EXPECT_EQ(list.at(1).at("alignment"), 256);
}

TEST(Protocol, ToolsAndPlacementsHaveTheirNames) {
  for (const SanitizerTool tool : {SanitizerTool::memcheck, SanitizerTool::racecheck,
                                   SanitizerTool::initcheck, SanitizerTool::synccheck}) {
    EXPECT_EQ(tool_from_request(over_the_wire(plant_request(tool))), tool);
  }
  EXPECT_THROW(tool_from_request(Json{{"tool", "leakcheck"}}), Error);
  for (const Placement placement :
       {Placement::margins, Placement::fence_end, Placement::fence_begin,
        Placement::least_alignment, Placement::bare}) {
    EXPECT_EQ(placement_named(name_of(placement)), placement);
  }
  EXPECT_THROW(placement_named("somewhere"), Error);
}

TEST(Protocol, ADescriptionSurvives) {
  DeviceDescription device;
  device.kind = "cuda";
  device.name = "GPU";
  device.uuid = "GPU-1";
  device.architecture = "sm_90";
  device.driver = "580";
  device.multiprocessors = 132;
  device.l2_bytes = 60 << 20;
  device.memory_bytes = std::int64_t{140} << 30;
  device.datasheet_bandwidth = 4.814e12;
  device.highest_clock_hz = 1.98e9;
  device.limits.max_grid = {1, 2, 3};
  device.confinement = "process group";
  const Json json = to_json(device);
  EXPECT_EQ(to_json(description_from_json(over_the_wire(json))), json);
}

TEST(Protocol, EveryKindOfFaultHasItsName) {
  for (int i = 0; i <= static_cast<int>(FaultKind::other); ++i) {
    const auto kind = static_cast<FaultKind>(i);
    EXPECT_EQ(fault_kind_of(name_of(kind)), kind) << i;
  }
  EXPECT_EQ(fault_kind_of("new in a later version"), FaultKind::other);
}

}  // namespace
}  // namespace kernelloop
