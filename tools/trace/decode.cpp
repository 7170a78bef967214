#include "trace/decode.hpp"

#include "support/error.hpp"

#include "trace/clock_fit.hpp"
#include "trace/recorded.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

class WarpReader {
 public:
  WarpReader(const RecordedWarp& recorded, const std::map<std::uint32_t, std::string>& names,
             const ClockFit& clock, LaunchTrace& trace)
      : recorded_(recorded), names_(names), clock_(clock), trace_(trace) {
    const trace::Life& life = recorded.life;
    // The nearest 64-bit time with that low half: before the end, else around an anchor.
    const auto near =
        life.end_clock != 0 ? life.end_clock : static_cast<std::uint64_t>(clock.offset_cycles);
    const auto behind = static_cast<std::uint32_t>(near) - life.begin_clock;
    begin_clock_ = static_cast<double>(near) -
                   (life.end_clock != 0 ? static_cast<double>(behind)
                                        : static_cast<double>(static_cast<std::int32_t>(behind)));
  }

  WarpTrace read() {
    const trace::Life& life = recorded_.life;
    warp_.block = recorded_.block;
    warp_.warp = recorded_.warp;
    warp_.multiprocessor = recorded_.multiprocessor;
    warp_.marked = recorded_.marked;
    warp_.dropped = recorded_.dropped;
    warp_.whole = life.end_clock != 0;
    warp_.begin_ns = clock_.ns_of(begin_clock_);
    warp_.end_ns = warp_.whole ? clock_.ns_of(static_cast<double>(life.end_clock)) : warp_.begin_ns;
    open_.push_back(0);
    warp_.spans.push_back({std::string(k_kernel_scope), warp_.begin_ns, 0, 0, 0, true});
    for (const trace::Record& record : recorded_.marks) add(record);
    finish();
    return std::move(warp_);
  }

 private:
  void add(const trace::Record& record) {
    const auto name = names_.find(record.tag >> 2);
    const std::uint32_t kind = record.tag & 3;
    if (name == names_.end() || kind == 0) {
      ++trace_.malformed;
      return;
    }
    const std::uint32_t since_begin = record.time - recorded_.life.begin_clock;
    if (since_begin < last_) {  // a warp leaves its marks in their order
      ++trace_.malformed;
      return;
    }
    last_ = since_begin;
    const double ns = clock_.ns_of(begin_clock_ + static_cast<double>(since_begin));
    warp_.end_ns = std::max(warp_.end_ns, ns);
    if (kind == trace::k_begin) {
      open_.push_back(warp_.spans.size());
      warp_.spans.push_back({name->second, ns, ns, 0, open_.size() - 1, true});
    } else if (kind == trace::k_end) {
      close(name->second, ns);
    } else {
      warp_.instants.push_back({name->second, ns});
    }
  }

  // Ends the innermost open span of that name; those inside it were left without an end.
  void close(const std::string& name, double ns) {
    const auto found =
        std::find_if(open_.rbegin(), std::prev(open_.rend()),
                     [&](std::size_t index) { return warp_.spans[index].name == name; });
    if (found == std::prev(open_.rend())) {  // the kernel's own scope ends with its life

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
    for (const std::size_t index : open_) warp_.spans[index].end_ns = warp_.end_ns;
    warp_.spans.front().cut = !warp_.whole;
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

  const RecordedWarp& recorded_;
  const std::map<std::uint32_t, std::string>& names_;
  const ClockFit& clock_;
  LaunchTrace& trace_;
  WarpTrace warp_;
  double begin_clock_ = 0;
  std::uint32_t last_ = 0;  // cycles from the begin to the mark before
  std::vector<std::size_t> open_;
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

std::uint32_t trace_id(const std::string& name) { return trace::id_of(name.c_str()); }

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
    const Recorded recorded = read_recorded(launch, buffer);
    trace.malformed = recorded.malformed;
    ClockFits fits(cycles_per_ns);
    for (const RecordedBlock& block : recorded.blocks) {
      for (const trace::Anchor& anchor : {block.anchors.begin, block.anchors.end}) {
        if (anchor.ns != 0) fits.add(block.multiprocessor, anchor.clock, anchor.ns);
      }
    }
    fits.fit();
    trace.cycles_per_ns = fits.cycles_per_ns();
    for (const RecordedWarp& warp : recorded.warps) {
      const ClockFit* clock = fits.find(warp.multiprocessor);
      if (clock == nullptr) {
        ++trace.unplaced;
        continue;
      }
      trace.dropped += warp.dropped;
      trace.warps.push_back(WarpReader(warp, names, *clock, trace).read());
    }
    start_at_zero(trace);
    result.push_back(std::move(trace));
  }
  return result;
}

}  // namespace kernelloop
