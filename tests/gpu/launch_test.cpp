// Launches that cannot work: refused with words, and the worker stays.
#include "support/files.hpp"

#include "gpu_test.hpp"

namespace kernelloop::test {
namespace {

using ::testing::HasSubstr;

class GpuLaunch : public GpuTest {
 protected:
  void expect_refused(const ResolvedPlan& plan, const std::string& words) {
    const RunResult result = run(plan);
    EXPECT_EQ(result.fault.kind, FaultKind::launch_refused) << result.fault.message;
    EXPECT_THAT(result.fault.message, HasSubstr(words));
    expect_healthy();
  }
};

ResolvedPlan plan_by_tma() {
  ResolvedPlan plan = plan_for("twice_by_tma", k_elements);
  ResolvedArgument& map = plan.launches[0].arguments[0];
  map.kind = ResolvedArgument::Kind::tensor_map;
  map.map.type = 7;  // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
  map.map.rank = 1;
  map.map.dims[0] = k_elements;
  map.map.box[0] = 256;
  map.map.element_strides[0] = 1;
  return plan;
}

TEST_F(GpuLaunch, ATensorMapIsEncoded) {
  const RunResult result = run(plan_by_tma());
  EXPECT_EQ(result.fault.kind, FaultKind::none) << result.fault.message;
  expect_twice();
}

TEST_F(GpuLaunch, ATensorMapThatTheDriverRefuses) {
  ResolvedPlan plan = plan_by_tma();
  plan.launches[0].arguments[0].map.element_strides[0] = 9;
  expect_refused(plan, "the driver refuses the tensor map of argument 0 of kernel 'twice_by_tma'");
  plan = plan_by_tma();
  plan.launches[0].arguments[0] = value_argument(0);
  expect_refused(plan, "parameter 0 of kernel 'twice_by_tma' has 128 bytes");
}

TEST_F(GpuLaunch, TooMuchSharedMemory) {
  ResolvedPlan plan = plan_for("uses_shared", k_elements);
  plan.launches[0].dynamic_shared_bytes = 300000;
  expect_refused(plan, "asks for 300000 bytes of dynamic shared memory");
}

TEST_F(GpuLaunch, ABlockOverTheLaunchBounds) {
  expect_refused(plan_for("small_blocks", k_elements, 256),
                 "256 threads per block, but was compiled for at most 128");
}

TEST_F(GpuLaunch, ABlockOverTheLimitsOfTheGpu) {
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches[0].block = {2048, 1, 1};
  expect_refused(plan, "block x is 2048, but must be between 1 and 1024");
}

TEST_F(GpuLaunch, AClusterThatDoesNotDivideTheGrid) {
  ResolvedPlan plan = plan_for("cluster_rank", k_elements);
  plan.launches[0].has_cluster = true;
  plan.launches[0].cluster = {3, 1, 1};
  expect_refused(plan, "cluster x is 3, which does not divide grid x = 4");
}

TEST_F(GpuLaunch, AClusterThatIsTooLargeIsTheDriversWord) {
  ResolvedPlan plan = plan_for("cluster_rank", 32 * 256);
  plan.launches[0].arguments[2] = value_argument(k_elements);
  plan.launches[0].has_cluster = true;
  plan.launches[0].cluster = {32, 1, 1};
  expect_refused(plan, "the driver refused to launch 'cluster_rank'");
}

TEST_F(GpuLaunch, ACooperativeLaunchThatDoesNotFit) {
  ResolvedPlan plan = plan_for("twice", 256 * 100000);
  plan.launches[0].arguments[2] = value_argument(k_elements);
  plan.launches[0].cooperative = true;
  expect_refused(plan, "all blocks of a cooperative launch must fit");
}

TEST_F(GpuLaunch, TheWrongNumberOfParameters) {
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches[0].arguments.pop_back();
  expect_refused(plan, "takes 3 parameters (of 8, 8, 4 bytes)");
}

TEST_F(GpuLaunch, AParameterOfTheWrongSize) {
  ResolvedPlan plan = plan_for("twice", k_elements);
  plan.launches[0].arguments[2] = value_argument(std::int64_t{k_elements});
  expect_refused(plan, "parameter 2 of kernel 'twice' has 4 bytes");
}

TEST_F(GpuLaunch, AnUnknownKernel) { expect_refused(plan_for("missing", k_elements), "'missing'"); }

TEST_F(GpuLaunch, ACubinWithoutTheKernelDoesNotLoad) {
  const int module = worker_.load({CANDIDATES_CUBIN, {"twice", "thrice"}});
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("twice", k_elements);
  const RunResult result = worker_.run(request, module);
  EXPECT_EQ(result.fault.kind, FaultKind::load_failed);
  EXPECT_THAT(result.fault.message, HasSubstr("no kernel 'thrice'"));
  expect_healthy();
}

TEST_F(GpuLaunch, ADamagedCubinDoesNotLoad) {
  const TemporaryDirectory directory;
  const std::string whole = read_file(CANDIDATES_CUBIN);
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{10}}) {
    const auto path = directory.path() / ("cut" + std::to_string(size) + ".cubin");
    write_file_atomic(path, std::string_view(whole).substr(0, size));
    const int module = worker_.load({path, {"twice"}});
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for("twice", k_elements);
    const RunResult result = worker_.run(request, module);
    EXPECT_EQ(result.fault.kind, FaultKind::load_failed) << size;
    EXPECT_THAT(result.fault.message, HasSubstr("no whole cubin"));
  }
  expect_healthy();
}

}  // namespace
}  // namespace kernelloop::test
