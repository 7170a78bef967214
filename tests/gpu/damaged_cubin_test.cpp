// 200 damaged cubins: whatever the driver makes of them, the harness has a verdict and goes on.
#include "support/files.hpp"

#include "damage.hpp"
#include "gpu_test.hpp"

#include <map>
#include <string>

namespace kernelloop::test {
namespace {

class GpuDamagedCubin : public GpuTest {};

TEST_F(GpuDamagedCubin, IsAVerdictEachTime) {
  const TemporaryDirectory directory;
  const std::string whole = read_file(CANDIDATES_CUBIN);
  std::map<std::string, int> verdicts;
  for (unsigned number = 0; number < 200; ++number) {
    const auto path = directory.path() / ("damaged-" + std::to_string(number) + ".cubin");
    write_file_atomic(path, damaged(whole, number));
    Worker worker(WorkerOptions{"cuda", KERNELLOOP_DEVICE_PROGRAM});
    worker.load({path, {"twice"}});
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for("twice", k_elements);
    request.timeout = milliseconds(5000);
    RunResult result;
    // An Error would stop the build for what is the cubin's fault.
    ASSERT_NO_THROW(result = worker.run(request)) << number;
    ++verdicts[result.fault ? name_of(result.fault.kind) : "ran"];
    if (result.fault) {
      EXPECT_FALSE(result.fault.message.empty()) << number;
    }
  }
  for (const auto& [verdict, count] : verdicts) {
    RecordProperty(verdict, count);
    fmt::print("{} of 200 damaged cubins: {}\n", count, verdict);
  }
  expect_healthy();
}

}  // namespace
}  // namespace kernelloop::test
