#include "counters/metrics.hpp"

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

// Consumer Blackwell counts no bytes at its memory, and only the big chips of Hopper have its warp
// group instructions by name.
constexpr std::string_view k_no_dram = "GB20";
constexpr std::string_view k_no_gmma = "GA TU AD GB";

constexpr std::array k_metrics = std::to_array<Metric>({
    {"dram__bytes_read.sum", "bytes", "read from device memory", k_no_dram},
    {"dram__bytes_write.sum", "bytes", "written to device memory", k_no_dram},
    {"lts__t_sectors.sum", "sectors of 32 bytes", "requests to the L2 cache", ""},
    {"lts__t_sector_hit_rate.pct", "%", "of them that hit", ""},
    {"l1tex__t_sector_hit_rate.pct", "%", "of the L1 cache's sectors that hit", ""},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "%",
     "of the bytes of each sector that global loads used", ""},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "%",
     "of the bytes of each sector that global stores used", ""},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%",
     "of all cycles with the tensor cores busy", ""},
    {"sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active", "%",
     "of the peak rate of warp group matrix operations", k_no_gmma},
    {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "%", "of the fp32 pipe's peak",
     ""},
    {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "%",
     "of the integer and logic pipe's peak", ""},
    {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "%",
     "of the peak of special functions and conversions", ""},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "%",
     "of the warps that a multiprocessor can hold", ""},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
     "of the cycles in which a scheduler issued", ""},
    {"smsp__average_thread_inst_executed_per_inst_executed.ratio", "threads",
     "active in an instruction, of 32", ""},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefronts",
     "lost to bank conflicts in shared memory", ""},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts", "of shared memory", ""},
    {"smsp__inst_executed_op_local_ld.sum", "instructions", "loads from local memory", ""},
    {"smsp__inst_executed_op_local_st.sum", "instructions", "stores to local memory", ""},
    {"gpc__cycles_elapsed.max", "cycles", "from begin to end", ""},
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "warps",
     "waiting for global or local memory", ""},
    {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "warps",
     "waiting for shared memory or special functions", ""},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "warps",
     "waiting at a barrier", ""},
    {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "warps",
     "waiting at a memory fence", ""},
    {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "warps",
     "waiting for the queue of shared memory and special functions", ""},
    {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "warps",
     "waiting for the queue of global memory", ""},
    {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "warps",
     "waiting for an arithmetic pipe", ""},
    {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", "warps",
     "waiting for warp group matrix operations", k_no_gmma},
    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "warps",
     "waiting out a fixed latency", ""},
    {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", "warps",
     "waiting for instructions", ""},
    {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio", "warps",
     "waiting for a branch", ""},
    {"smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", "warps",
     "asleep (nanosleep)", ""},
    {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "warps",
     "ready, while another was issued", ""},
    {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", "warps", "issued", ""},
});

constexpr std::array k_stalls = std::to_array<StallReason>({
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "long scoreboard",
     "for data from global or local memory: more bytes in flight (wider loads, unrolling, "
     "asynchronous copies), or more warps"},
    {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
     "short scoreboard",
     "for shared memory or special functions: fewer or wider accesses, no bank conflicts, fewer "
     "exp/div"},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "barrier",
     "at __syncthreads: fewer barriers, evener work between them, warp-level reductions"},
    {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "membar",
     "at memory fences: fewer of them, or narrower ones"},
    {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "MIO throttle",
     "because shared memory and special functions are asked faster than they answer: wider shared "
     "accesses, fewer shuffles"},
    {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "LG throttle",
     "because too many narrow global accesses are under way: wider loads and stores"},
    {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
     "math pipe throttle", "for an arithmetic pipe: fewer operations, or another pipe"},
    {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", "GMMA",
     "for warp group matrix operations: more of them in flight; good where the tensor cores are "
     "busy"},
    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "wait",
     "for a fixed latency of arithmetic: more independent instructions, or more warps"},
    {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", "no instruction",
     "for instructions: code larger than the cache, or very short kernels; unroll less"},
    {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
     "branch resolving", "for branches: fewer of them in the inner loop"},
    {"smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", "sleeping",
     "asleep: waits with nanosleep"},
});

bool begins_with_one_of(std::string_view text, std::string_view prefixes) {
  while (!prefixes.empty()) {
    const std::size_t blank = prefixes.find(' ');
    if (text.starts_with(prefixes.substr(0, blank))) return true;
    if (blank == std::string_view::npos) break;
    prefixes.remove_prefix(blank + 1);
  }
  return false;
}

}  // namespace

std::span<const Metric> all_metrics() { return k_metrics; }

std::vector<std::string> metrics_for(std::string_view chip) {
  return metrics_for(chip, all_metric_names());
}

std::vector<std::string> metrics_for(std::string_view chip,
                                     const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const std::string& name : wanted) {
    const auto known = std::find_if(k_metrics.begin(), k_metrics.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    if (known == k_metrics.end() || !begins_with_one_of(chip, known->absent_on)) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> memory_metrics() {
  return {"dram__bytes_read.sum", "dram__bytes_write.sum"};
}

std::vector<std::string> all_metric_names() {
  std::vector<std::string> names;
  for (const Metric& metric : k_metrics) names.emplace_back(metric.name);
  return names;
}

std::span<const StallReason> stall_reasons() { return k_stalls; }

}  // namespace kernelloop
