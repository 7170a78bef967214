#include "trace/chrome.hpp"

#include "support/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace kernelloop {
namespace {

class Writer {
 public:
  explicit Writer(std::size_t max_events) : max_events_(max_events) {}

  void add(const LaunchTrace& trace, std::size_t launch) {
    double end = 0;
    for (const WarpTrace& warp : trace.warps) {
      end = std::max(end, warp.end_ns);
      // Where marks are not recorded all warps look alike: the first stands for its block.
      if (!warp.marked && warp.warp != 0) continue;
      if (events_ + warp.spans.size() + warp.instants.size() > max_events_) {
        ++left_out_;
        continue;
      }
      add_warp(trace, warp, launch);
    }
    begin_ns_ += end + 1000;
  }

  std::string finish() {
    return "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"warps_left_out\":" +
           std::to_string(left_out_) + "},\"traceEvents\":[\n" + text_ + "\n]}\n";
  }

 private:
  void add_warp(const LaunchTrace& trace, const WarpTrace& warp, std::size_t launch) {
    const std::int64_t process = static_cast<std::int64_t>(launch) * 1000 + warp.multiprocessor;
    const std::int64_t thread = warp.block * trace.launch.warps + warp.warp;
    if (processes_.insert(process).second) {
      metadata("process_name", process, 0,
               fmt::format("{} SM {}", trace.launch.kernel, warp.multiprocessor));
    }
    metadata("thread_name", process, thread,
             warp.marked ? fmt::format("block {} warp {}", warp.block, warp.warp)
                         : fmt::format("block {}", warp.block));
    for (const TraceSpan& span : warp.spans) {
      append(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}{}}})",
                         Json(span.name).dump(), process, thread, in_us(span.begin_ns),
                         (span.end_ns - span.begin_ns) / 1000.0,
                         span.cut ? R"(,"args":{"cut":true})" : ""));
    }
    for (const TraceInstant& instant : warp.instants) {
      append(fmt::format(R"({{"ph":"i","s":"t","name":{},"pid":{},"tid":{},"ts":{:.3f}}})",
                         Json(instant.name).dump(), process, thread, in_us(instant.ns)));
    }
    events_ += warp.spans.size() + warp.instants.size();
  }

  void metadata(const char* what, std::int64_t process, std::int64_t thread,
                const std::string& name) {
    append(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                       process, thread, Json(name).dump()));
  }

  [[nodiscard]] double in_us(double ns) const { return (begin_ns_ + ns) / 1000.0; }

  void append(const std::string& event) { text_ += (text_.empty() ? "" : ",\n") + event; }

  std::size_t max_events_;
  std::size_t events_ = 0;
  std::size_t left_out_ = 0;
  double begin_ns_ = 0;
  std::set<std::int64_t> processes_;
  std::string text_;
};

}  // namespace

std::string chrome_trace(const std::vector<LaunchTrace>& launches, std::size_t max_events) {
  Writer writer(max_events);
  for (std::size_t i = 0; i < launches.size(); ++i) writer.add(launches[i], i);
  return writer.finish();
}

}  // namespace kernelloop
