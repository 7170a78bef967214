#include "device/cuda_activity.hpp"

#include "support/error.hpp"

#include "counters/cupti_library.hpp"
#include <cupti_activity.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace kernelloop {
namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif
using CopyRecord = CUpti_ActivityMemcpy6;
using FillRecord = CUpti_ActivityMemset4;
using MemoryRecord = CUpti_ActivityMemory4;

constexpr std::size_t k_buffer_bytes = std::size_t{1} << 20;
constexpr std::string_view k_own_prefix = "kernelloop_";
// A tag goes with the record of the call that made a launch, so calls are recorded too.
constexpr std::array k_kinds = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                CUPTI_ACTIVITY_KIND_DRIVER,
                                CUPTI_ACTIVITY_KIND_RUNTIME,
                                CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMSET,
                                CUPTI_ACTIVITY_KIND_MEMORY2};

// A record of ours before it is known whose it is.
struct Seen {
  Activity activity;
  std::uint32_t correlation = 0;
  std::uint32_t stream = 0;
};

double microseconds(std::uint64_t nanoseconds, std::uint64_t zero) {
  return (static_cast<double>(nanoseconds) - static_cast<double>(zero)) / 1000.0;
}

// Where CUPTI's callbacks put what they bring. They know no object, so there is one for the
// process.
class Inbox {
 public:
  static Inbox& instance() {
    static Inbox inbox;
    return inbox;
  }

  void put(std::unique_ptr<std::uint8_t[]> buffer, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    buffers_.push_back({std::move(buffer), bytes});
  }
  struct Buffer {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t bytes;
  };
  std::vector<Buffer> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(buffers_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Buffer> buffers_;
};

extern "C" void CUPTIAPI kernelloop_give_buffer(std::uint8_t** buffer, std::size_t* bytes,
                                                std::size_t* most_records) {
  *buffer = new (std::nothrow) std::uint8_t[k_buffer_bytes];
  *bytes = *buffer == nullptr ? 0 : k_buffer_bytes;
  *most_records = 0;
}

extern "C" void CUPTIAPI kernelloop_take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer,
                                                std::size_t, std::size_t valid_bytes) {
  Inbox::instance().put(std::unique_ptr<std::uint8_t[]>(buffer), valid_bytes);
}

// Records as long as it lives.
class Recording {
 public:
  explicit Recording(const CuptiLibrary& cupti) : cupti_(cupti) {
    cupti_.check(
        cupti_.cuptiActivityRegisterCallbacks(kernelloop_give_buffer, kernelloop_take_buffer),
        "registering for CUPTI's activity records");
    try {
      for (const CUpti_ActivityKind kind : k_kinds) {
        cupti_.check(cupti_.cuptiActivityEnable(kind), "enabling CUPTI's activity records");
        ++enabled_;
      }
    } catch (...) {
      disable();
      throw;
    }
  }
  ~Recording() { disable(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // What is launched as long as it lives carries the tag.
  class Mark {
   public:
    Mark(const Recording& recording, std::uint64_t tag) : recording_(recording) {
      recording_.push(tag);
    }
    ~Mark() { recording_.pop(); }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    const Recording& recording_;
  };

  [[nodiscard]] std::vector<Inbox::Buffer> finish(std::int64_t& dropped) const {
    cupti_.check(cupti_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED),
                 "collecting CUPTI's activity records");
    std::size_t lost = 0;
    cupti_.check(cupti_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &lost),
                 "asking for lost activity records");
    dropped = static_cast<std::int64_t>(lost);
    return Inbox::instance().take();
  }

 private:
  void push(std::uint64_t tag) const {
    cupti_.check(
        cupti_.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, tag),
        "marking launches");
  }
  void pop() const {
    std::uint64_t last = 0;
    cupti_.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
  }
  void disable() {
    while (enabled_ > 0) cupti_.cuptiActivityDisable(k_kinds[--enabled_]);
  }

  const CuptiLibrary& cupti_;
  std::size_t enabled_ = 0;
};

class Reader {
 public:
  void add(const CUpti_Activity* record) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto* tag = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
        tags_[tag->correlationId] = tag->externalId;
        break;
      }
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add_kernel(*reinterpret_cast<const KernelRecord*>(record));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        add_transfer(Activity::Kind::copy, *reinterpret_cast<const CopyRecord*>(record));
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        add_transfer(Activity::Kind::fill, *reinterpret_cast<const FillRecord*>(record));
        break;
      case CUPTI_ACTIVITY_KIND_MEMORY2: {
        const auto* memory = reinterpret_cast<const MemoryRecord*>(record);
        if (memory->memoryOperationType != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION) break;
        Activity activity;
        activity.kind = Activity::Kind::allocation;
        activity.bytes = static_cast<std::int64_t>(memory->bytes);
        seen_.push_back({activity, memory->correlationId, stream_});
        break;
      }
      default:
        break;
    }
  }

  // What is not the harness's own. `iterations`: of the tags.
  [[nodiscard]] std::vector<Activity> take(const std::map<std::uint64_t, int>& iterations) {
    std::vector<Activity> activities;
    for (Seen& seen : seen_) {
      Activity& activity = seen.activity;
      if (const auto tag = tags_.find(seen.correlation); tag != tags_.end()) {
        const auto iteration = iterations.find(tag->second);
        if (iteration == iterations.end()) continue;  // of an attempt that was repeated
        activity.iteration = iteration->second;
      } else if (activity.kind == Activity::Kind::copy || activity.kind == Activity::Kind::fill) {
        continue;
      }
      activity.in_stream = seen.stream == stream_;
      activities.push_back(std::move(activity));
    }
    return activities;
  }

 private:
  void add_kernel(const KernelRecord& kernel) {
    const std::string_view name = kernel.name == nullptr ? "" : kernel.name;
    if (name.substr(0, k_own_prefix.size()) == k_own_prefix) {
      stream_ = kernel.streamId;
      return;
    }
    Activity activity;
    activity.name = name;
    set_times(activity, kernel.start, kernel.end);
    activity.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
    activity.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
    // 0 stands for a launch without clusters.
    activity.cluster = {std::max<std::int64_t>(kernel.clusterX, 1),
                        std::max<std::int64_t>(kernel.clusterY, 1),
                        std::max<std::int64_t>(kernel.clusterZ, 1)};
    activity.dynamic_shared_bytes = kernel.dynamicSharedMemory;
    seen_.push_back({std::move(activity), kernel.correlationId, kernel.streamId});
  }

  template <typename Record>
  void add_transfer(Activity::Kind kind, const Record& record) {
    Activity activity;
    activity.kind = kind;
    set_times(activity, record.start, record.end);
    activity.bytes = static_cast<std::int64_t>(record.bytes);
    seen_.push_back({std::move(activity), record.correlationId, record.streamId});
  }

  void set_times(Activity& activity, std::uint64_t start, std::uint64_t end) {
    if (zero_ == 0) zero_ = start;
    activity.begin_us = microseconds(start, zero_);
    activity.end_us = microseconds(end, zero_);
  }

  std::uint64_t zero_ = 0;
  std::uint32_t stream_ = 0;  // of the harness's kernels
  std::map<std::uint32_t, std::uint64_t> tags_;
  std::vector<Seen> seen_;
};

ActivityResult record(const CuptiLibrary& cupti, int iterations,
                      const std::function<double(const ActivityBracket&)>& once) {
  ActivityResult result;
  std::map<std::uint64_t, int> iteration_of;  // of the last tag of each
  std::vector<Inbox::Buffer> buffers;
  {
    Inbox::instance().take();
    const Recording recording(cupti);
    std::uint64_t tag = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      result.event_us.push_back(once([&](const std::function<void()>& launch) {
        const Recording::Mark mark(recording, ++tag);
        launch();
      }));
      iteration_of[tag] = iteration;
    }
    buffers = recording.finish(result.dropped);
  }
  Reader reader;
  for (const Inbox::Buffer& buffer : buffers) {
    CUpti_Activity* record = nullptr;
    while (cupti.cuptiActivityGetNextRecord(buffer.data.get(), buffer.bytes, &record) ==
           CUPTI_SUCCESS) {
      reader.add(record);
    }
  }
  result.records = reader.take(iteration_of);
  return result;
}

}  // namespace

ActivityResult record_activity(int iterations,
                               const std::function<double(const ActivityBracket&)>& once) {
  try {
    return record(*load_cupti(), iterations, once);
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    ActivityResult result;
    result.reason = error.what();
    return result;
  }
}

}  // namespace kernelloop
