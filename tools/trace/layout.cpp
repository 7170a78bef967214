#include "trace/layout.hpp"

#include "support/error.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

constexpr std::size_t k_head_bytes = 64;
constexpr std::size_t k_record_bytes = 8;
constexpr std::int64_t k_most_records = 512;
constexpr std::int64_t k_fewest_records = 32;
constexpr std::size_t k_alignment = 256;

}  // namespace

std::size_t TracedLaunch::region_bytes() const {
  return k_head_bytes + k_record_bytes * static_cast<std::size_t>(capacity);
}

std::size_t TracedLaunch::bytes() const {
  return static_cast<std::size_t>(traced_blocks * warps) * region_bytes();
}

TraceLayout lay_out_trace(const ResolvedPlan& plan, std::size_t budget) {
  TraceLayout layout;
  if (plan.launches.empty()) return layout;
  const std::size_t share = budget / plan.launches.size() / k_alignment * k_alignment;
  for (const ResolvedLaunch& launch : plan.launches) {
    TracedLaunch traced;
    traced.kernel = launch.kernel;
    traced.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    traced.warps = (launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32;
    const auto most = static_cast<std::int64_t>(share / k_record_bytes) / traced.warps;  // records
    const auto head = static_cast<std::int64_t>(k_head_bytes / k_record_bytes);
    traced.capacity = std::clamp(most / traced.blocks - head, k_fewest_records, k_most_records);
    const std::int64_t fitting = most / (traced.capacity + head);  // blocks
    if (fitting == 0) {
      fail(ExitCode::bad_input,
           "{} bytes are too few to trace one block of `{}` with {} warps; give the trace more",
           budget, launch.kernel, traced.warps);
    }
    traced.stride = (traced.blocks + fitting - 1) / fitting;
    traced.traced_blocks = (traced.blocks + traced.stride - 1) / traced.stride;
    traced.offset = layout.bytes;
    layout.bytes += (traced.bytes() + k_alignment - 1) / k_alignment * k_alignment;
    layout.launches.push_back(std::move(traced));
  }
  return layout;
}

Json to_json(const TraceLayout& layout) {
  Json launches = Json::array();
  for (const TracedLaunch& one : layout.launches) {
    launches.push_back({{"kernel", one.kernel},
                        {"blocks", one.blocks},
                        {"warps", one.warps},
                        {"traced_blocks", one.traced_blocks},
                        {"stride", one.stride},
                        {"capacity", one.capacity},
                        {"offset", one.offset}});
  }
  return {{"bytes", layout.bytes}, {"launches", launches}};
}

TraceLayout trace_layout_from_json(const Json& json) {
  TraceLayout layout;
  json.at("bytes").get_to(layout.bytes);
  for (const Json& entry : json.at("launches")) {
    TracedLaunch one;
    entry.at("kernel").get_to(one.kernel);
    entry.at("blocks").get_to(one.blocks);
    entry.at("warps").get_to(one.warps);
    entry.at("traced_blocks").get_to(one.traced_blocks);
    entry.at("stride").get_to(one.stride);
    entry.at("capacity").get_to(one.capacity);
    entry.at("offset").get_to(one.offset);
    layout.launches.push_back(std::move(one));
  }
  return layout;
}

}  // namespace kernelloop
