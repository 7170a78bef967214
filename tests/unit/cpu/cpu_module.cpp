#include "cpu_module.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace kernelloop::testing {

namespace fs = std::filesystem;

namespace {

const fs::path k_kernels = KERNELLOOP_TEST_KERNELS;
const fs::path k_include = KERNELLOOP_TEST_INCLUDE;
const fs::path k_built = KERNELLOOP_TEST_BUILT;

fs::file_time_type newest_input(const fs::path& source) {
  fs::file_time_type newest =
      std::max(fs::last_write_time(source), fs::last_write_time("/proc/self/exe"));
  for (const auto& entry : fs::recursive_directory_iterator(k_include / "kernelloop" / "cpu")) {
    if (entry.is_regular_file()) newest = std::max(newest, entry.last_write_time());
  }
  return newest;
}

}  // namespace

CpuBuildRequest request_for(const std::string& name, const fs::path& output) {
  CpuBuildRequest request;
  request.source = k_kernels / (name + ".cu");
  request.output = output;
  request.include_dir = k_include;
  request.compiler = KERNELLOOP_TEST_COMPILER;
  request.timeout = std::chrono::minutes(4);
  return request;
}

fs::path built_kernels(const std::string& name, bool sanitize) {
  fs::create_directories(k_built);
  const fs::path output = k_built / (name + (sanitize ? ".asan.so" : ".so"));
  const FileLock lock(k_built / (name + ".lock"));
  CpuBuildRequest request = request_for(name, output);
  request.sanitize = sanitize;
  if (fs::exists(output) && fs::last_write_time(output) > newest_input(request.source)) {
    return output;
  }
  const CpuBuildResult result = build_for_cpu(request);
  if (result.status != CpuBuildResult::Status::built) {
    fail(ExitCode::internal, "{}.cu is not built: {}\n{}", name, result.reason, result.diagnostics);
  }
  if (!result.diagnostics.empty()) {
    fail(ExitCode::internal, "{}.cu has warnings:\n{}", name, result.diagnostics);
  }
  return output;
}

LaunchShape shape(std::uint64_t grid, std::uint64_t block, std::size_t dynamic_shared_bytes,
                  std::uint64_t seed) {
  return {{grid, 1, 1}, {block, 1, 1}, dynamic_shared_bytes, seed, 0};
}

CpuModule::CpuModule(const fs::path& library)
    : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) fail(ExitCode::internal, "{}", dlerror());
  using Entry = const KernelLoopCpuModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library_, "kernelloop_cpu_module"));
  if (entry == nullptr) fail(ExitCode::internal, "{} exports no module", library.string());
  module_ = entry();
}

CpuModule::~CpuModule() { dlclose(library_); }

LaunchResult CpuModule::launch_with(const std::string& kernel, const LaunchShape& launch_shape,
                                    const std::vector<void*>& arguments,
                                    const std::vector<std::size_t>& sizes) const {
  for (std::size_t i = 0; i < module_->kernel_count; ++i) {
    const KernelLoopCpuKernel& entry = module_->kernels[i];
    if (entry.name != kernel) continue;
    if (!std::equal(sizes.begin(), sizes.end(), entry.parameter_sizes,
                    entry.parameter_sizes + entry.parameter_count)) {
      fail(ExitCode::internal, "the arguments do not fit the parameters of {}", kernel);
    }
    KernelLoopCpuLaunch launch{};
    launch.kernel = i;
    std::copy(std::begin(launch_shape.grid), std::end(launch_shape.grid), launch.grid);
    std::copy(std::begin(launch_shape.block), std::end(launch_shape.block), launch.block);
    launch.dynamic_shared_bytes = launch_shape.dynamic_shared_bytes;
    launch.arguments = arguments.data();
    launch.schedule_seed = launch_shape.seed;
    launch.noise_seed = launch_shape.noise;
    std::array<char, 1024> message{};
    LaunchResult result;
    result.status = module_->launch(&launch, message.data(), message.size());
    result.message = message.data();
    return result;
  }
  fail(ExitCode::internal, "there is no kernel {}", kernel);
}

}  // namespace kernelloop::testing
