// Everything that a report shows, filled in one place (gather.hpp). The writers (JSON, Markdown,
// HTML) only lay it out, so that their numbers cannot differ. What is not known is nothing
// (std::optional, or a reason in words), never zero.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// One workload's time, as bench.json says it (docs/formats.md).
struct ReportWorkload {
  std::string name;
  double weight = 1.0;
  double median_us = 0.0;
  std::optional<std::array<double, 2>> interval_us;  // of the median, 95 %
  std::optional<double> p25_us;
  std::optional<double> p75_us;
  std::optional<double> spread;  // (p75 - p25) / median
  std::int64_t samples = 0;
  std::int64_t set_aside = 0;  // samples under throttling or beside another's process, not counted
  std::string throttling;      // why; "" for no reason
  std::int64_t foreign = 0;    // samples beside another's process, counted or not
  std::optional<double> clock_mhz;
  std::optional<double> power_watts;
  std::optional<double> bytes;  // that the op must move
  std::optional<double> bytes_per_second;
  std::map<std::string, double> flops;  // that the op must compute, by class
  std::optional<double> sol;            // (0, 1]; none on the CPU device
  std::string bound;                    // what sets the speed of light; "" unknown
  std::string referee;                  // "agreed", "unavailable: why"; "" nobody watched
  std::optional<double> bus_bytes;      // counted over the memory bus, both ways, cold
  std::optional<double> hot_us;
  std::optional<double> rotating_us;

  [[nodiscard]] double all_flops() const;
};

struct ReportRung {
  std::string name;
  std::string status;
  std::string reason;
  std::int64_t cases = 0;
};

struct ReportKernel {
  std::string name;
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> spill_store_bytes;
  std::optional<std::int64_t> spill_load_bytes;
  std::optional<std::int64_t> stack_bytes;
  std::optional<std::int64_t> static_shared_bytes;
};

// Counters or a trace: lines to read, or why there are none.
struct ReportDigest {
  std::vector<std::string> lines;
  std::string missing;  // why `lines` is empty; "" where it is not
};

struct ReportVersion {
  std::string version;   // "v003"
  std::string mode;      // "seed" | "fix" | "optimise" | "branch" | "tune"; "" by hand
  std::string parent;    // "" for a seed
  std::string language;  // as people write it; "" where the operator has one only
  std::string provider;
  std::string model;
  std::string change;       // its author's words
  std::string outcome;      // as in history.json, "rejected", or "not_measured": not on this device
  std::string failure;      // one line; "" when it is verified
  std::string measured_by;  // "build" | "evidence"; "" when not measured
  bool edited = false;      // kernel.cu is another than the one that was measured
  std::string source_sha256;               // of what was measured; "" when not measured
  std::optional<double> time_us;           // weighted geometric mean of the medians
  std::optional<double> sol;               // the same of the workloads' fractions
  std::string bound;                       // of the workloads, joined: "memory"
  std::optional<double> speed_up;          // of the first version with a time
  std::optional<double> against_baseline;  // time of the fastest baseline / time
  std::vector<ReportWorkload> workloads;
  std::vector<ReportRung> rungs;
  std::vector<ReportKernel> kernels;
  ReportDigest counters;
  ReportDigest trace;
  std::string diff;  // unified, from the parent; "" for a seed
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<double> cost_usd;
};

struct ReportBaseline {
  std::string name;
  std::string failure;  // one line; "" when it was timed
  std::optional<double> time_us;
  std::optional<double> sol;
  std::optional<double> ratio;  // its time over that of the version that is shown
  std::vector<ReportWorkload> workloads;
};

// What all requests for the op have cost, the failed ones too.
struct ReportCost {
  std::string source;  // "ledger" | "origins" (no ledger on this machine) | "unknown"
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<double> usd;      // what is known
  std::int64_t unknown_cost = 0;  // requests, or versions, that `usd` lacks
};

// How the adopted version beat the one before it (compare.json).
struct ReportComparison {
  std::string incumbent;
  std::string challenger;
  std::string verdict;
  double ratio = 0.0;
  std::optional<std::array<double, 2>> interval;
  std::optional<double> noise_floor;
};

struct Report {
  std::string op;
  std::string description;
  std::string device_kind;  // "cuda" | "cpu"
  std::string device_name;
  std::string architecture;  // "sm_90"; "" unknown
  std::string driver;
  std::optional<std::int64_t> multiprocessors;
  std::optional<double> highest_clock_hz;
  std::optional<double> datasheet_bandwidth;       // bytes per second
  std::string clocks;                              // "as found"; "" unknown
  std::map<std::string, double> roofs;             // measured: bytes or operations per second
  std::optional<std::int64_t> verification_rules;  // of the last verification
  std::optional<std::int64_t> measurement_rules;   // of the last timing
  std::string adopted;                             // "v006"; "" none on this device
  std::string evidence_sha256;                     // of the committed evidence; "" none
  std::optional<ReportComparison> comparison;
  std::string state;  // why the loop stopped, or what comes next; "" unknown
  std::vector<ReportVersion> versions;
  std::vector<ReportBaseline> baselines;
  std::string no_baselines;  // why there are none
  ReportCost cost;

  [[nodiscard]] bool on_cpu() const { return device_kind == "cpu"; }
  // Measured by this build; else all of it comes from what is committed.
  [[nodiscard]] bool from_build() const;
  // The adopted version, else the fastest; nullptr when none has a time.
  [[nodiscard]] const ReportVersion* shown() const;
  [[nodiscard]] const ReportBaseline* best_baseline() const;
};

}  // namespace kernelloop
