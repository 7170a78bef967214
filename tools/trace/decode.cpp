#include "trace/decode.hpp"

#include "support/error.hpp"

#include "trace/clock_fit.hpp"

#include <algorithm>
#include <cstring>

namespace kernelloop {
namespace {

// As in trace.cuh.
struct Head {
  std::uint32_t multiprocessor = 0;
  std::uint32_t events = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t begin_clock = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t end_clock = 0;
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint64_t reserved[2] = {};
};
static_assert(sizeof(Head) == 64);

struct Record {
  std::uint32_t tag = 0;
  std::uint32_t time = 0;
};

constexpr std::uint32_t k_most_multiprocessors = 1024;

struct Region {
  Head head;
  std::vector<Record> records;
};

template <typename T>
T read(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::vector<Region> read_regions(const TracedLaunch& launch, std::span<const std::byte> buffer,
                                 LaunchTrace& trace) {
  std::vector<Region> regions;
  for (std::int64_t index = 0; index < launch.traced_blocks * launch.warps; ++index) {
    const std::size_t at = launch.offset + static_cast<std::size_t>(index) * launch.region_bytes();
    Region region{read<Head>(buffer, at), {}};
    if (region.head.events == 0) continue;
    const std::int64_t block = index / launch.warps * launch.stride;
    if (region.head.block != block || region.head.warp != index % launch.warps ||
        region.head.multiprocessor >= k_most_multiprocessors) {
      ++trace.malformed;
      continue;
    }
    const auto kept =
        std::min<std::size_t>(region.head.events, static_cast<std::size_t>(launch.capacity));
    for (std::size_t i = 0; i < kept; ++i) {
      region.records.push_back(read<Record>(buffer, at + sizeof(Head) + i * sizeof(Record)));
    }
    trace.dropped += region.head.events - kept;
    regions.push_back(std::move(region));
  }
  return regions;
}

// A 32-bit time as the 64-bit one nearest behind the anchor. Marks may lie a little before it: the
// time of a mark is taken first.
double unwrapped(std::uint64_t anchor, std::uint32_t time) {
  const auto ahead = static_cast<std::int32_t>(time - static_cast<std::uint32_t>(anchor));
  const bool before = ahead < 0 && ahead > -1'000'000;
  const double distance =
      before ? ahead : static_cast<double>(time - static_cast<std::uint32_t>(anchor));
  return static_cast<double>(anchor) + distance;
}

class WarpReader {
 public:
  WarpReader(const Region& region, const std::map<std::uint32_t, std::string>& names,
             const ClockFit& clock, LaunchTrace& trace)
      : region_(region), names_(names), clock_(clock), trace_(trace) {}

  WarpTrace read() {
    const Head& head = region_.head;
    warp_.block = head.block;
    warp_.warp = head.warp;
    warp_.multiprocessor = head.multiprocessor;
    warp_.begin_ns = clock_.ns_of(static_cast<double>(head.begin_clock));
    warp_.end_ns = warp_.begin_ns;
    warp_.dropped = head.events - region_.records.size();
    for (const Record& record : region_.records) add(record);
    finish();
    return std::move(warp_);
  }

 private:
  void add(const Record& record) {
    const auto name = names_.find(record.tag >> 2);
    const std::uint32_t kind = record.tag & 3;
    if (name == names_.end() || kind > 2) {
      ++trace_.malformed;
      return;
    }
    const double ns = clock_.ns_of(unwrapped(region_.head.begin_clock, record.time));
    if (first_) warp_.begin_ns = ns;
    first_ = false;
    warp_.end_ns = std::max(warp_.end_ns, ns);
    if (kind == 0) {
      open_.push_back(warp_.spans.size());
      warp_.spans.push_back({name->second, ns, ns, 0, open_.size() - 1, true});
    } else if (kind == 1) {
      close(name->second, ns);
    } else {
      warp_.instants.push_back({name->second, ns});
    }
  }

  // Ends the innermost open span of that name; those inside it were left without an end.
  void close(const std::string& name, double ns) {
    const auto found = std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t index) {
      return warp_.spans[index].name == name;
    });
    if (found == open_.rend()) {
      ++trace_.unmatched;
      return;
    }
    const auto position = static_cast<std::size_t>(std::distance(found, open_.rend())) - 1;
    for (std::size_t i = open_.size(); i-- > position;) {
      warp_.spans[open_[i]].end_ns = ns;
      warp_.spans[open_[i]].cut = i != position;
    }
    open_.resize(position);
  }

  void finish() {
    const Head& head = region_.head;
    if (head.end_ns != 0) {
      warp_.whole = true;
      warp_.end_ns = std::max(warp_.end_ns, clock_.ns_of(static_cast<double>(head.end_clock)));
    }
    for (const std::size_t index : open_) {
      TraceSpan& span = warp_.spans[index];
      span.end_ns = warp_.end_ns;
      // The end of the kernel's own scope is known from the head, whatever was dropped.
      if (span.name == k_kernel_scope && warp_.whole) span.cut = false;
    }
    for (std::size_t i = 0; i < warp_.spans.size(); ++i) {
      TraceSpan& span = warp_.spans[i];
      span.self_ns += span.end_ns - span.begin_ns;
      for (std::size_t j = i; j-- > 0;) {  // the nearest before it that is one level up
        if (warp_.spans[j].depth + 1 != span.depth) continue;
        warp_.spans[j].self_ns -= span.end_ns - span.begin_ns;
        break;
      }
    }
  }

  const Region& region_;
  const std::map<std::uint32_t, std::string>& names_;
  const ClockFit& clock_;
  LaunchTrace& trace_;
  WarpTrace warp_;
  std::vector<std::size_t> open_;
  bool first_ = true;
};

void start_at_zero(LaunchTrace& trace) {
  if (trace.warps.empty()) return;
  double first = trace.warps.front().begin_ns;
  for (const WarpTrace& warp : trace.warps) first = std::min(first, warp.begin_ns);
  for (WarpTrace& warp : trace.warps) {
    warp.begin_ns -= first;
    warp.end_ns -= first;
    for (TraceSpan& span : warp.spans) {
      span.begin_ns -= first;
      span.end_ns -= first;
    }
    for (TraceInstant& instant : warp.instants) instant.ns -= first;
  }
}

}  // namespace

std::uint32_t trace_id(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash ^ (hash >> 30)) & 0x3FFFFFFFu;
}

std::map<std::uint32_t, std::string> trace_names(std::string_view ptx) {
  constexpr std::string_view k_mark = "// kernelloop:trace \"";
  std::map<std::uint32_t, std::string> names;
  for (std::size_t at = ptx.find(k_mark); at != std::string_view::npos; at = ptx.find(k_mark, at)) {
    at += k_mark.size();
    const std::string name(ptx.substr(at, ptx.find('"', at) - at));
    const auto [known, is_new] = names.try_emplace(trace_id(name), name);
    if (!is_new && known->second != name) {
      fail(ExitCode::bad_input, "the trace names \"{}\" and \"{}\" share a number; rename one",
           known->second, name);
    }
  }
  return names;
}

std::vector<LaunchTrace> decode_trace(const TraceLayout& layout, std::span<const std::byte> buffer,
                                      const std::map<std::uint32_t, std::string>& names,
                                      double cycles_per_ns) {
  if (buffer.size() < layout.bytes) {
    fail(ExitCode::internal, "a trace buffer of {} bytes, not {}", buffer.size(), layout.bytes);
  }
  std::vector<LaunchTrace> result;
  for (const TracedLaunch& launch : layout.launches) {
    LaunchTrace trace;
    trace.launch = launch;
    const std::vector<Region> regions = read_regions(launch, buffer, trace);
    ClockFits fits(cycles_per_ns);
    for (const Region& region : regions) {
      const Head& head = region.head;
      fits.add(head.multiprocessor, head.begin_clock, head.begin_ns);
      if (head.end_ns != 0) fits.add(head.multiprocessor, head.end_clock, head.end_ns);
    }
    fits.fit();
    trace.cycles_per_ns = fits.cycles_per_ns();
    for (const Region& region : regions) {
      trace.warps.push_back(
          WarpReader(region, names, fits.of(region.head.multiprocessor), trace).read());
    }
    start_at_zero(trace);
    result.push_back(std::move(trace));
  }
  return result;
}

}  // namespace kernelloop
