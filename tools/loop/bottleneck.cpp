#include "loop/bottleneck.hpp"

#include "support/json_members.hpp"
#include "support/rounded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

constexpr double k_near_peak = 0.8;         // of a roof: nothing is won by waiting less
constexpr double k_moved_twice = 1.15;      // bytes moved over bytes that must move
constexpr double k_launches = 3;            // times an empty launch: the launch is what it takes
constexpr double k_clock_precision = 0.02;  // clocks wander
constexpr std::size_t k_counter_lines = 8;  // of the digest, the most telling first

double amount(const Json& json, const char* name) {
  return number_member(json, name).value_or(0.0);
}

// What a workload loses against its speed of light: its part in the geometric mean. In coarse
// steps, so that of two that lose the same the first is taken, whatever the noise.
double loss_of(const Json& workload) {
  const double weight = number_member(workload, "weight").value_or(1.0);
  const double sol = amount(workload, "sol");
  return sol > 0 ? weight * std::round(-std::log(sol) / 0.05) : 0.0;
}

const Json& entry_named(const Json& measured, const std::string& name) {
  for (const Json& one : list_member(measured, "workloads")) {
    if (text_member(one, "name") == name) return one;
  }
  return member(Json(), "");
}

class Search {
 public:
  explicit Search(const VersionEvidence& evidence)
      : evidence_(evidence),
        counted_(text_member(evidence.profiled, "status") == "profiled"),
        roofs_(member(member(evidence.measured, "ceilings"), "roofs")) {
    const Json& all = list_member(evidence.measured, "workloads");
    if (counted_) {
      workload_ = entry_named(evidence.measured,
                              text_member(member(evidence.profiled, "workload"), "name"));
    }
    if (!workload_.is_null()) return;
    const auto costliest =
        std::max_element(all.begin(), all.end(),
                         [](const Json& a, const Json& b) { return loss_of(a) < loss_of(b); });
    if (costliest != all.end()) workload_ = *costliest;
  }

  Bottleneck find() {
    if (amount(workload_, "sol") <= 0) {
      say("unknown", "nothing that was measured says what limits it on a GPU");
      add_spills();
      return found_;
    }
    add_times();
    if (!by_counters() && !by_spills() && !by_launch()) by_times();
    if (counted_) {
      const Json& digest = list_member(evidence_.profiled, "digest");
      for (std::size_t i = 0; i < std::min(digest.size(), k_counter_lines); ++i) {
        if (digest[i].is_string()) add(digest[i].get<std::string>());
      }
    }
    return found_;
  }

 private:
  void say(const char* kind, std::string what) {
    found_.kind = kind;
    found_.what = std::move(what);
  }
  void add(std::string fact) { found_.evidence.push_back(std::move(fact)); }

  [[nodiscard]] std::string name() const { return "`" + text_member(workload_, "name") + "`"; }
  // Evidence of measurement rules 1 names no bound: it knew the copy roof alone.
  [[nodiscard]] std::string bound() const {
    const std::string named = text_member(workload_, "bound");
    return named.empty() ? "memory" : named;
  }
  [[nodiscard]] double memory_roof() const {
    const double copy = amount(roofs_, "copy");
    return copy > 0 ? copy
                    : amount(member(evidence_.measured, "ceilings"), "copy_bytes_per_second");
  }
  [[nodiscard]] std::string share() const {
    return rounded_percent(amount(workload_, "sol")) + " %";
  }

  void add_times() {
    const double clock = amount(workload_, "clock_mhz");
    const std::string at =
        clock > 0 ? fmt::format(" at {} MHz", rounded(clock, k_clock_precision)) : std::string();
    add(fmt::format("workload {}: {} µs{}, spread {}; its speed of light is {} µs ({})", name(),
                    rounded(amount(workload_, "median_us")), at,
                    spread_in_words(number_member(workload_, "spread").value_or(NAN)),
                    rounded(amount(workload_, "sol_us")), share()));
    if (const double bytes = amount(workload_, "bytes"); bytes > 0) {
      std::string text = fmt::format("it must move {} MB: {} GB/s", rounded(bytes * 1e-6),
                                     rounded(amount(workload_, "bytes_per_second") * 1e-9));
      if (const double roof = memory_roof(); roof > 0) {
        text +=
            fmt::format(" of the {} GB/s that a copy was measured to reach", rounded(roof * 1e-9));
      }
      add(text);
    }
    if (const double flops = amount(member(workload_, "flops"), bound().c_str()); flops > 0) {
      const double per_second = flops / (amount(workload_, "median_us") * 1e-6);
      std::string text = fmt::format("it must do {} million {} operations: {} T/s",
                                     rounded(flops * 1e-6), bound(), rounded(per_second * 1e-12));
      if (const double roof = amount(roofs_, bound().c_str()); roof > 0) {
        text += fmt::format(" of {} T/s", rounded(roof * 1e-12));
      }
      add(text);
    }
    if (const double bytes = crossed(); bytes > 0) {
      add(fmt::format("counted on the memory bus: {} MB, {} times the bytes that it must move",
                      rounded(bytes * 1e-6), rounded(bytes / amount(workload_, "bytes"))));
    }
    add_kernels();
    add_others();
  }

  // Bytes that counters saw cross the memory bus; 0 where the bench step counted none.
  [[nodiscard]] double crossed() const {
    const Json& bus = member(workload_, "bus");
    return amount(workload_, "bytes") > 0 ? amount(bus, "read_bytes") + amount(bus, "written_bytes")
                                          : 0.0;
  }

  // What the launches take one by one, as a second witness saw it.
  void add_kernels() {
    std::string text;
    for (const Json& one : list_member(member(workload_, "referee"), "kernels")) {
      text += fmt::format("{}`{}` {} µs", text.empty() ? "its launches: " : ", ",
                          text_member(one, "name"), rounded(amount(one, "us")));
    }
    if (!text.empty()) add(text);
  }

  void add_others() {
    std::string text;
    for (const Json& one : list_member(evidence_.measured, "workloads")) {
      if (one == workload_) continue;
      text += fmt::format("{}`{}` {} %", text.empty() ? "" : ", ", text_member(one, "name"),
                          rounded_percent(amount(one, "sol")));
    }
    if (!text.empty()) add("other workloads, of their speed of light: " + text);
  }

  bool add_spills() {
    std::string text;
    for (const Json& kernel : list_member(evidence_.compiled, "kernels")) {
      const double stored = amount(kernel, "spill_store_bytes");
      const double loaded = amount(kernel, "spill_load_bytes");
      if (stored + loaded <= 0) continue;
      text += fmt::format("{}`{}` ({} registers) stores {:.0f} B and loads {:.0f} B",
                          text.empty() ? "spills: " : ", ", text_member(kernel, "name"),
                          amount(kernel, "registers"), stored, loaded);
    }
    if (!text.empty()) add(text);
    return !text.empty();
  }

  bool by_counters() {
    if (!counted_) return false;
    const std::string limit = text_member(evidence_.profiled, "bound");
    const Json& metrics = member(evidence_.profiled, "metrics");
    const double moved =
        amount(metrics, "dram__bytes_read.sum") + amount(metrics, "dram__bytes_write.sum");
    const double least = amount(evidence_.profiled, "minimum_bytes");
    if (limit == "memory" && least > 0 && moved > k_moved_twice * least) {
      say("traffic", fmt::format("device memory is busy with {} times the bytes that {} must move",
                                 rounded(moved / least), name()));
    } else if (limit == "memory") {
      say("memory", fmt::format("device memory is at its roof in {}", name()));
    } else if (limit == "tensor" || limit == "pipe" || limit == "issue") {
      say("compute", fmt::format("arithmetic: {} is busy in {}",
                                 limit == "tensor" ? "the tensor core"
                                 : limit == "pipe" ? "one pipe"
                                                   : "the issue of instructions",
                                 name()));
    } else if (limit == "latency") {
      if (!by_spills()) {
        say("latency", fmt::format("latency: no resource is near its peak in {}", name()));
      }
    } else {
      return false;
    }
    return true;
  }

  bool by_spills() {
    if (!add_spills()) return false;
    say("spills", "registers are spilled to local memory");
    return true;
  }

  bool by_launch() {
    const double launch_us = amount(roofs_, "launch") * 1e6;
    if (launch_us <= 0 || amount(workload_, "median_us") > k_launches * launch_us) return false;
    say("launch", fmt::format("launching: an empty launch takes {} µs, {} takes {} µs",
                              rounded(launch_us), name(), rounded(amount(workload_, "median_us"))));
    return true;
  }

  void by_times() {
    const bool near = amount(workload_, "sol") >= k_near_peak;
    if (bound() == "memory" && crossed() > k_moved_twice * amount(workload_, "bytes")) {
      say("traffic", fmt::format("device memory: {} moves {} times the bytes that it must", name(),
                                 rounded(crossed() / amount(workload_, "bytes"))));
      return;
    }
    if (bound() != "memory") {
      say("compute",
          fmt::format("{} arithmetic: {} runs at {} of its roof", bound(), name(), share()));
    } else if (near) {
      say("memory", fmt::format("device memory: {} runs at {} of its roof", name(), share()));
    } else {
      say("latency",
          fmt::format("latency: {} keeps device memory busy to {} only", name(), share()));
    }
  }

  const VersionEvidence& evidence_;
  bool counted_;
  const Json& roofs_;
  Json workload_;
  Bottleneck found_;
};

}  // namespace

std::optional<Bottleneck> bottleneck_of(const VersionEvidence& evidence) {
  if (text_member(evidence.measured, "status") != "measured") return std::nullopt;
  return Search(evidence).find();
}

}  // namespace kernelloop
