#include "device/worker_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(WorkerEnvironment, SecretsAndDebuggersStayOut) {
  const std::vector<std::string> names{"SOME_API_KEY",
                                       "SOME_TOKEN",
                                       "LD_PRELOAD",
                                       "LD_AUDIT",
                                       "CUDA_INJECTION64_PATH",
                                       "CUDA_COREDUMP_FILE",
                                       "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
                                       "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP",
                                       "CUDA_ENABLE_USER_TRIGGERED_COREDUMP",
                                       "CUDA_LAUNCH_BLOCKING"};
  for (const std::string& name : names) {
    const Variable variable(name.c_str(), "");
    EXPECT_THAT(worker_environment({}), Not(Contains(StartsWith(name + "=")))) << name;
  }
}

TEST(WorkerEnvironment, OrdinaryVariablesPass) {
  const Variable variable("CUDA_VISIBLE_DEVICES", "0");
  EXPECT_THAT(worker_environment({}), Contains("CUDA_VISIBLE_DEVICES=0"));
}

TEST(WorkerEnvironment, MeasuringSettingsReplaceTheUsers) {
  const Variable variable("CUDA_MODULE_LOADING", "LAZY");
  const std::vector<std::string> variables = worker_environment({});
  EXPECT_THAT(variables, Contains("CUDA_MODULE_LOADING=EAGER").Times(1));
  EXPECT_THAT(variables, Contains("CUDA_CACHE_DISABLE=1").Times(1));
  EXPECT_THAT(variables, Not(Contains("CUDA_MODULE_LOADING=LAZY")));
}

TEST(WorkerEnvironment, SanitizersArePreloaded) {
  const std::vector<std::string> variables = worker_environment({"libasan.so.8", "libubsan.so.1"});
  EXPECT_THAT(variables, Contains("LD_PRELOAD=libasan.so.8:libubsan.so.1"));
  EXPECT_THAT(variables, Contains(StartsWith("ASAN_OPTIONS=")));
}

}  // namespace
}  // namespace kernelloop
