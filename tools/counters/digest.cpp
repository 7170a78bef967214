#include "counters/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kernelloop {
namespace {

constexpr double k_bound = 80;         // per cent of a peak
constexpr double k_few_threads = 24;   // of 32
constexpr double k_shown_stall = 0.1;  // share of the waiting time

// Rounded so that what differs from run to run does not show.
std::string size_text(double bytes) {
  const double mb = bytes * 1e-6;
  if (mb >= 1000) return fmt::format("{:.2f} GB", mb / 1000);
  return mb >= 100 ? fmt::format("{:.0f} MB", mb) : fmt::format("{:.1f} MB", mb);
}

class Reader {
 public:
  Reader(const MetricValues& metrics, const CounterContext& context)
      : metrics_(metrics), context_(context) {}

  CounterDigest read() {
    say_bound();
    say_bytes();
    say_caches();
    say_pipes();
    say_occupancy();
    say_issue_and_stalls();
    say_shared_memory();
    say_local_memory();
    say_divergence();
    return std::move(digest_);
  }

 private:
  [[nodiscard]] std::optional<double> value(std::string_view name) const {
    const auto found = metrics_.find(std::string(name));
    return found == metrics_.end() ? std::nullopt : std::optional<double>(found->second);
  }

  [[nodiscard]] std::optional<double> moved() const {
    const auto read = value("dram__bytes_read.sum");
    const auto written = value("dram__bytes_write.sum");
    return read && written ? std::optional<double>(*read + *written) : std::nullopt;
  }

  // Per cent of the measured copy roof.
  [[nodiscard]] std::optional<double> memory_use() const {
    const auto bytes = moved();
    if (!bytes || context_.time_us <= 0 || context_.copy_bytes_per_second <= 0) return std::nullopt;
    return 100 * *bytes / (context_.time_us * 1e-6) / context_.copy_bytes_per_second;
  }

  [[nodiscard]] std::optional<double> tensor_use() const {
    const auto all = value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed");
    const auto gmma =
        value("sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active");
    if (!all) return gmma;
    return std::max(*all, gmma.value_or(0));
  }

  // The busiest of the ordinary pipes.
  [[nodiscard]] std::pair<std::string, double> busiest_pipe() const {
    std::pair<std::string, double> best{"", 0};
    for (const auto& [name, pipe] :
         {std::pair{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "fp32 (FMA)"},
          {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "integer (ALU)"},
          {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "special (XU)"}}) {
      if (const auto use = value(name); use && *use > best.second) best = {pipe, *use};
    }
    return best;
  }

  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    digest_.lines.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void say_bound() {
    const auto memory = memory_use();
    const auto tensor = tensor_use();
    const auto pipe = busiest_pipe();
    const auto issue = value("smsp__issue_active.avg.pct_of_peak_sustained_active");
    if (memory && *memory >= k_bound) {
      digest_.bound = Bound::memory;
      say("Bound by device memory: {:.0f} % of the measured copy bandwidth.", *memory);
    } else if (tensor && *tensor >= k_bound) {
      digest_.bound = Bound::tensor;
      say("Bound by the tensor cores: {:.0f} % of their peak.", *tensor);
    } else if (pipe.second >= k_bound) {
      digest_.bound = Bound::pipe;
      say("Bound by the {} pipe: {:.0f} % of its peak.", pipe.first, pipe.second);
    } else if (issue && *issue >= k_bound) {
      digest_.bound = Bound::issue;
      say("Bound by instruction issue: the schedulers issue in {:.0f} % of the cycles.", *issue);
    } else if (memory || tensor || issue) {
      digest_.bound = Bound::latency;
      say("Bound by latency: no resource is near its peak (memory {}, tensor {}, busiest pipe {}, "
          "issue {}).",
          percent(memory), percent(tensor),
          pipe.first.empty() ? "unknown" : fmt::format("{} {:.0f} %", pipe.first, pipe.second),
          percent(issue));
      if (context_.blocks > 0 && context_.multiprocessors > 0 &&
          context_.blocks < context_.multiprocessors) {
        say("The grid is too small: {:.0f} blocks for {:.0f} multiprocessors.", context_.blocks,
            context_.multiprocessors);
      }
    } else {
      say("Nothing can be said about the bound: the counters for it are missing.");
    }
  }

  static std::string percent(const std::optional<double>& use) {
    return use ? fmt::format("{:.0f} %", *use) : std::string("unknown");
  }

  void say_bytes() {
    const auto bytes = moved();
    if (!bytes) return;
    std::string text =
        fmt::format("Device memory: {} read, {} written", size_text(*value("dram__bytes_read.sum")),
                    size_text(*value("dram__bytes_write.sum")));
    if (context_.minimum_bytes > 0) {
      const double ratio = *bytes / context_.minimum_bytes;
      text += fmt::format("; {:.2f} times the {} that the op must move", ratio,
                          size_text(context_.minimum_bytes));
      if (ratio > 1.15) text += ": something is read or written more than once";
    }
    digest_.lines.push_back(text + ".");
    if (const auto reason = work_not_done(metrics_, context_)) {
      say("WARNING: {}.", *reason);
    }
  }

  void say_caches() {
    const auto l2 = value("lts__t_sector_hit_rate.pct");
    const auto l1 = value("l1tex__t_sector_hit_rate.pct");
    if (l2 || l1) say("Hit rates: L1 {}, L2 {}.", percent(l1), percent(l2));
    for (const auto& [name, what] :
         {std::pair{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "loads"},
          {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "stores"}}) {
      const auto used = value(name);
      if (used && *used > 0 && *used < k_bound) {
        say("Global {} use {:.0f} % of the bytes of each 32-byte sector: they are not coalesced.",
            what, *used);
      }
    }
  }

  void say_pipes() {
    if (const auto tensor = tensor_use()) say("Tensor cores: {:.1f} % of their peak.", *tensor);
    std::string text;
    for (const auto& [name, pipe] :
         {std::pair{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "FMA"},
          {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "ALU"},
          {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "XU"}}) {
      if (const auto use = value(name)) {
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", pipe, *use);
      }
    }
    if (!text.empty()) say("Pipes: {}.", text);
  }

  void say_occupancy() {
    const auto warps = value("sm__warps_active.avg.pct_of_peak_sustained_active");
    if (!warps) return;
    say("Occupancy: {:.0f} % of the warps that fit are resident{}.", *warps,
        *warps < 25 && digest_.bound == Bound::latency
            ? "; more of them would hide more latency (see registers and shared memory)"
            : "");
  }

  void say_issue_and_stalls() {
    if (const auto issue = value("smsp__issue_active.avg.pct_of_peak_sustained_active")) {
      say("Schedulers issue in {:.0f} % of the cycles.", *issue);
    }
    std::vector<std::pair<double, const StallReason*>> stalls;
    double total = 0;
    for (const StallReason& reason : stall_reasons()) {
      const auto warps = value(reason.metric);
      if (!warps) continue;
      stalls.emplace_back(*warps, &reason);
      total += *warps;
    }
    if (total <= 0) return;
    std::stable_sort(stalls.begin(), stalls.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < std::min<std::size_t>(4, stalls.size()); ++i) {
      if (stalls[i].first < k_shown_stall * total) break;
      say("{:.0f} % of the waiting ({}): warps wait {}.", 100 * stalls[i].first / total,
          stalls[i].second->name, stalls[i].second->advice);
    }
  }

  void say_shared_memory() {
    const auto conflicts = value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
    const auto wavefronts = value("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
    if (!conflicts || !wavefronts || *wavefronts <= 0) return;
    const double share = 100 * *conflicts / *wavefronts;
    if (share >= 5) say("Shared memory: {:.0f} % of its wavefronts are bank conflicts.", share);
  }

  void say_local_memory() {
    const double loads = value("smsp__inst_executed_op_local_ld.sum").value_or(0);
    const double stores = value("smsp__inst_executed_op_local_st.sum").value_or(0);
    if (loads + stores > 0) {
      say("Local memory: {:.4g} loads, {:.4g} stores (spills, or arrays with indices that are only "
          "known at run time).",
          loads, stores);
    }
  }

  void say_divergence() {
    const auto threads = value("smsp__average_thread_inst_executed_per_inst_executed.ratio");
    if (threads && *threads > 0 && *threads < k_few_threads) {
      say("Divergence: {:.1f} of 32 threads are active in an instruction.", *threads);
    }
  }

  const MetricValues& metrics_;
  const CounterContext& context_;
  CounterDigest digest_;
};

}  // namespace

const char* name_of(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return "memory";
    case Bound::tensor:
      return "tensor";
    case Bound::pipe:
      return "pipe";
    case Bound::issue:
      return "issue";
    case Bound::latency:
      return "latency";
    case Bound::unknown:
      break;
  }
  return "unknown";
}

CounterDigest digest_counters(const MetricValues& metrics, const CounterContext& context) {
  return Reader(metrics, context).read();
}

}  // namespace kernelloop
