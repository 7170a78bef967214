#include "device/worker_service.hpp"

#include "device/channel.hpp"
#include "device/cpu_device.hpp"
#include "device/cuda_device.hpp"
#include "device/description.hpp"
#include "device/protocol.hpp"
#include "device/worker_environment.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <optional>

namespace kernelloop {
namespace {

Deadline send_deadline() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }

// As many arenas as take turns. None where code of a candidate runs in this process: it must not
// reach the memory of a case that is not its own.
constexpr std::size_t k_kept_requests = 16;

// Faults that leave the process as it was. After any other the next request gets a fresh one.
bool leaves_unharmed(FaultKind kind) {
  return kind == FaultKind::none || kind == FaultKind::launch_refused ||
         kind == FaultKind::load_failed || kind == FaultKind::not_runnable;
}

class Service {
 public:
  Service(std::string kind, Descriptor channel, OtherPrograms programs)
      : kind_(std::move(kind)),
        programs_(programs),
        channel_(std::move(channel)),
        memories_(kind_ == "cpu" ? 0 : k_kept_requests) {}

  int run() {
    for (bool going = true; going;) {
      Channel::Progress progress = Channel::Progress::more;
      while (progress == Channel::Progress::more) progress = channel_.read_some();
      if (progress == Channel::Progress::closed) return 0;
      Message message = channel_.take();
      Json reply = answer(Json::parse(message.text), std::move(message.descriptors));
      going = !reply.value("final", false);
      if (!channel_.send(reply.dump(), {}, send_deadline())) return 1;
    }
    return 0;
  }

 private:
  Json answer(const Json& request, std::vector<Descriptor> memories) {
    try {
      const std::string op = request.at("op").get<std::string>();
      if (op == "describe") return describe(request.value("times", false));
      if (op == "load") {
        const Fault fault =
            device().load(request.at("module").get<int>(), artifact_from_request(request));
        return finished(Json{{"fault", fault_to_json(fault)}}, fault);
      }
      if (op == "run") {
        memories_.begin_request();
        RunJob job =
            run_job_from_request(request, map_tensors(request.at("tensors"), memories, memories_));
        memories.clear();  // the mappings are enough
        const RunResult result = device().run(job);
        return finished(run_reply(result), result.fault);
      }
      if (op == "time") {
        memories_.begin_request();
        TimeJob job =
            time_job_from_request(request, map_sets(request.at("sets"), memories, memories_));
        memories.clear();  // the mappings are enough
        const TimeResult result = device().time(job);
        return finished(time_reply(result), result.fault);
      }
      if (op == "plant") {
        device().plant(tool_from_request(request));
        return Json{{"planted", true}};
      }
      if (op == "roof") {
        const Roof* roof = find_roof(request.at("name").get<std::string>());
        if (roof == nullptr) fail(ExitCode::internal, "unknown roof in '{}'", request.dump());
        const RoofValue found =
            device().measure_roof(*roof, request.at("bytes").get<std::int64_t>());
        return Json{{"value", found.value}, {"clock_mhz", found.clock_mhz}};
      }
      fail(ExitCode::internal, "unknown request '{}'", op);
    } catch (const Error& error) {
      return error_reply(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      return error_reply(ExitCode::io, "the device worker ran out of memory; use smaller shapes");
    } catch (const std::exception& error) {
      return error_reply(ExitCode::internal, error.what());
    }
  }

  // Printed too: a caller who cannot tell this reply from a candidate's repeats what was printed.
  static Json error_reply(ExitCode code, const std::string& message) {
    fmt::print(stderr, "{}\n", message);
    return Json{{"error", {{"code", static_cast<int>(code)}, {"message", message}}},
                {"final", true}};
  }

  static Json finished(Json reply, const Fault& fault) {
    reply["final"] = !leaves_unharmed(fault.kind);
    return reply;
  }

  Json describe(bool times) {
    DeviceDescription description = device().describe();
    if (times) device().expect_times();
    description.confinement = confinement(filter_);
    return Json{{"device", to_json(description)}};
  }

  Device& device() {
    if (device_) return *device_;
    if (kind_ == "cpu") {
      device_ = make_cpu_device([this](const Fault& fault) {
        Json reply{{"fault", fault_to_json(fault)}, {"final", true}};
        channel_.send(reply.dump(), {}, send_deadline());
      });
    } else if (kind_ == "cuda") {
      device_ = make_cuda_device();
    } else {
      fail(ExitCode::usage, "there is no device kind '{}'; use cuda or cpu", kind_);
    }
    renounce_privileges();
    if (forbid_system_calls(programs_)) filter_ = programs_;
    return *device_;
  }

  std::string kind_;
  OtherPrograms programs_;
  std::optional<OtherPrograms> filter_;  // in force
  Channel channel_;
  MappingCache memories_;
  std::unique_ptr<Device> device_;
};

}  // namespace

int serve_worker(const std::string& kind, Descriptor channel, OtherPrograms programs) {
  return Service(kind, std::move(channel), programs).run();
}

}  // namespace kernelloop
