// taken_names.txt against the macros of the headers themselves, so that it cannot go stale.
#include "spec/names.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace kernelloop {
namespace {

// Names of macros that somebody could choose: no leading or double underscore.
std::set<std::string> macros_of(const std::string& includes,
                                const std::vector<std::string>& include_dirs) {
  const TemporaryDirectory directory;
  write_file_atomic(directory.path() / "all.cpp", includes);
  std::set<std::string> names;
  for (const char* standard : {"-std=c++17", "-std=gnu++20"}) {
    Command command;
    command.arguments = {SPEC_TEST_HOST_COMPILER, standard, "-dM", "-E",
                         (directory.path() / "all.cpp").string()};
    for (const std::string& dir : include_dirs) command.arguments.push_back("-I" + dir);
    const ProcessResult result = run(command);
    EXPECT_TRUE(result.succeeded()) << result.error_output;
    std::istringstream lines(result.output);
    std::string define;
    std::string macro;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> define >> macro;
      macro = macro.substr(0, macro.find('('));
      if (macro.find("__") == std::string::npos && macro[0] != '_') names.insert(macro);
    }
  }
  return names;
}

std::vector<std::string> free_ones(const std::set<std::string>& names) {
  std::vector<std::string> free;
  for (const std::string& name : names) {
    if (name_fault(name).empty()) free.push_back(name);
  }
  return free;
}

constexpr const char* k_remedy = "add them to tools/spec/taken_names.txt";

const std::string k_standard =
    "#include <kernelloop/reference.h>\n#include <cassert>\n#include <cerrno>\n"
    "#include <cfloat>\n#include <climits>\n#include <cmath>\n#include <cstdio>\n"
    "#include <cstdlib>\n#include <cstring>\n";
const std::string k_kernels =
    "#include <kernelloop/trace.cuh>\n#include <cuda_runtime.h>\n#include <cuda_bf16.h>\n"
    "#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n#include <cooperative_groups.h>\n"
    "#include <math_constants.h>\n";

TEST(TakenNames, HaveTheMacrosOfTheCpuDevicesHeaders) {
  const std::string include(SPEC_TEST_INCLUDE_DIR);
  const auto macros =
      macros_of(k_standard + k_kernels, {include, include + "/kernelloop/cpu/headers"});
  EXPECT_THAT(macros, testing::IsSupersetOf({"NULL", "EOF", "NAN", "errno", "assert", "stdin"}));
  EXPECT_THAT(free_ones(macros), testing::IsEmpty()) << k_remedy;
}

TEST(TakenNames, HaveTheMacrosOfCudasHeaders) {
  const std::string cuda(SPEC_TEST_CUDA_INCLUDE_DIR);
  if (cuda.empty()) GTEST_SKIP() << "no CUDA toolkit";
  const auto macros = macros_of(k_standard +
                                    "#include <kernelloop/launcher.hpp>\n"
                                    "#include <kernelloop/tensor_map_encoder.hpp>\n"
                                    "#include <kernelloop/baseline.h>\n#include <cuda_runtime.h>\n"
                                    "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                                    "#include <cuda_fp8.h>\n#include <math_constants.h>\n",
                                {SPEC_TEST_INCLUDE_DIR, cuda});
  EXPECT_THAT(macros, testing::Contains("CUDART_VERSION"));
  EXPECT_THAT(free_ones(macros), testing::IsEmpty()) << k_remedy;
}

}  // namespace
}  // namespace kernelloop
