// What a version for the CPU device may not bring along.
#include "cpu/module_rules.hpp"

#include "cpu/module_symbols.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

namespace kernelloop::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModuleRules : public ::testing::Test {
 protected:
  // "<line> <message>" of each broken rule.
  std::vector<std::string> broken_by(const std::string& text, bool sanitize = true) const {
    CpuBuildRequest request = request_for("warp", work_.path() / "kernel.cpu.so");
    request.source = work_.path() / "kernel.cu";
    request.sanitize = sanitize;
    write_file_atomic(request.source, text);
    const CpuBuildResult result = build_for_cpu(request);
    EXPECT_EQ(result.status, result.broken_rules.empty() ? CpuBuildResult::Status::built
                                                         : CpuBuildResult::Status::failed)
        << result.diagnostics;
    EXPECT_EQ(std::filesystem::exists(request.output), result.broken_rules.empty());
    std::vector<std::string> messages;
    for (const BrokenRule& rule : result.broken_rules) {
      messages.push_back(std::to_string(rule.line) + " " + rule.message);
    }
    return messages;
  }

  const TemporaryDirectory work_;
};

TEST_F(ModuleRules, AFortifiedFunctionIsTheOneItStandsFor) {
  EXPECT_THAT(broken_by(R"(
extern "C" __global__ void k(float* y, int n) { __builtin___memcpy_chk(y, y + 8, n, 16); }
)",
                        false),
              IsEmpty());
}

TEST_F(ModuleRules, AFortifiedFunctionIsNoLicence) {
  EXPECT_THAT(broken_by(R"(
extern "C" __global__ void k(char* y, int n) { __builtin___strcat_chk(y, y + 8, n); }
)",
                        false),
              ElementsAre(HasSubstr("`__strcat_chk` is not defined in this file")));
}

TEST_F(ModuleRules, ConstantsSharedMemoryAndArithmeticAreFree) {
  for (const bool sanitize : {true, false}) {
    EXPECT_THAT(broken_by(R"(
__constant__ float offsets[2] = {1.0f, 2.0f};
__device__ const float factors[2] = {3.0f, 4.0f};
constexpr float powers[2] = {1.0f, 10.0f};
extern __shared__ float dynamic[];
extern "C" __global__ void k(float* y, int n) {
  __shared__ float sums[32], spare, more[4];
  __shared__ struct {
    int a, b;
  } both;
  __shared__ float (*pointer)[4];
  spare = more[0] = both.b = 0;
  pointer = nullptr;
  static const float table[2] = {5.0f, 6.0f};
  sums[threadIdx.x] = expf(offsets[n & 1]) + sinf(powers[n & 1]) * erff(y[0]) + table[n & 1];
  dynamic[threadIdx.x] = powf(y[1], rsqrtf(y[2])) + factors[n & 1] + fmodf(y[0], 2.0f);
  __syncthreads();
  y[threadIdx.x] = sums[n & 31] + dynamic[0] + atomicAdd(&y[3], 1.0f);
}
)",
                          sanitize),
                IsEmpty());
  }
}

TEST_F(ModuleRules, NothingOfTheProcessIsDefinedAnew) {
  EXPECT_THAT(broken_by(R"(
extern "C" __device__ void* memfrob(void* p, size_t n) {
  for (size_t i = 0; i < n; ++i) ((char*)p)[i] = 1;
  return p;
}
extern "C" __device__ __noinline__ float cbrtf(float x) { return x; }
__noinline__ void operator delete(void*) noexcept {}
extern "C" __global__ void adjtime(float* y) { memfrob(y, sizeof *y); operator delete(y); }
)",
                        false),
              ::testing::UnorderedElementsAre(
                  AllOf(HasSubstr("2 `memfrob` is a name of the process that runs the version"),
                        HasSubstr("give it another name")),
                  HasSubstr("6 `cbrtf` is a name"), HasSubstr("7 `operator delete` is a name"),
                  HasSubstr("8 `adjtime` is a name")));
}

TEST_F(ModuleRules, HelpersWithNamesOfTheirOwnAreFree) {
  for (const bool sanitize : {true, false}) {
    EXPECT_THAT(broken_by(R"(
extern "C" __device__ float row_sum(const float* x) { return x[0] + x[1]; }
__device__ __noinline__ int read(const int* x) { return *x; }
namespace own { __device__ __noinline__ float exp(float x) { return x + 1; } }
extern "C" __global__ void step(float* y) { y[0] = row_sum(y) + own::exp(y[1]) + read((int*)y); }
)",
                          sanitize),
                IsEmpty());
  }
}

// A function that is inlined everywhere leaves no symbol.
TEST_F(ModuleRules, TheWatchersOfMemoryAreNotNamed) {
  EXPECT_THAT(broken_by(R"(
extern "C" inline __attribute__((always_inline)) void __asan_poison_memory_region(
    void const volatile*, size_t) {}
#define JOIN(a, b) a##b
extern "C" __device__ void JOIN(__as, an_report_load2)(void*) {}
extern "C" __global__ void k(float* y) { y[0] = 1; }
)"),
              ElementsAre(HasSubstr("2 `__asan_poison_memory_region` is no device code"),
                          HasSubstr("5 `__asan_report_load2` is no device code")));
}

TEST_F(ModuleRules, NothingOutlivesTheLaunch) {
  EXPECT_THAT(broken_by(R"(
__device__ int counter;
namespace kept { __device__ float cache[4] = {1.0f}; }
#define KEEP static
__device__ int calls() {
  KEEP int count = 1;
  return ++count;
}
extern "C" __global__ void k(float* y) { y[0] = kept::cache[calls() & 3] += ++counter; }
)"),
              ::testing::UnorderedElementsAre(HasSubstr("2 the variable `counter` outlives"),
                                              HasSubstr("3 the variable `cache` outlives"),
                                              HasSubstr("6 the variable `count` outlives")));
}

TEST_F(ModuleRules, NothingOfTheHostIsCalled) {
  EXPECT_THAT(
      broken_by(R"(#include <cstdlib>
extern "C" __device__ void library(float*);
extern "C" __global__ void k(float* y) {
  if (std::getenv("X") != nullptr) library(y);
}
)"),
      ::testing::UnorderedElementsAre(AllOf(HasSubstr("4 `getenv` is not defined in this file"),
                                            HasSubstr("calls nothing of the host")),
                                      HasSubstr("2 `library` is not defined in this file")));
}

// Without the sanitizers in this and those below: what they add is seen above, and takes longer.
TEST_F(ModuleRules, NothingRunsByItself) {
  EXPECT_THAT(broken_by(R"(
static char unused = (__builtin_trap(), '\0');
extern "C" __global__ void k(float* y) { y[0] = 1.0f; }
)",
                        false),
              Contains(HasSubstr("a version has no host code")));
}

TEST_F(ModuleRules, WhatTheLayerNeedsIsNotForTheVersion) {
  EXPECT_THAT(broken_by(R"(
extern "C" void* mmap(void*, unsigned long, int, int, int, long) noexcept;
extern "C" int mprotect(void*, unsigned long, int) noexcept;
extern "C" __global__ void k(int* y) {
  int* kept = (int*)mmap((void*)0x300000000000, 4096, 3, 0x100022, -1, 0);
  y[0] = ++*kept + mprotect(kept, 4096, 1);
}
)",
                        false),
              ::testing::UnorderedElementsAre(HasSubstr("2 `mmap` is not defined in this file"),
                                              HasSubstr("3 `mprotect` is not defined")));
}

TEST_F(ModuleRules, AVariableIsKnownByItsPlaceNotByItsName) {
  EXPECT_THAT(broken_by(R"(
namespace honest { __constant__ int calls = 0; }
namespace cheat { __device__ int calls = 0; }
__device__ int shared() { __shared__ int count; return count; }
__device__ int kept() { static int count; return ++count; }
extern "C" int _ZGVfirst;
int _ZGVfirst = 0;
extern "C" __global__ void k(int* y) {
  y[0] = honest::calls + ++cheat::calls + shared() + kept() + ++_ZGVfirst;
}
)",
                        false),
              ::testing::UnorderedElementsAre(HasSubstr("the variable `calls` outlives"),
                                              HasSubstr("the variable `count` outlives"),
                                              HasSubstr("`_ZGVfirst` outlives")));
}

TEST_F(ModuleRules, AFlagThatSomethingWasDoneIsAVariable) {
  EXPECT_THAT(broken_by(R"(
extern "C" __global__ void k(int* y) { static char once = (y[0] = 1, '\0'); }
)",
                        false),
              ElementsAre(HasSubstr("the variable `once` outlives")));
}

// Sources cannot ask for these (source_rules_test.cpp); the built file would show them all the
// same.
TEST(ModuleSymbols, SeesWeakImportsAndOddPlaces) {
  const TemporaryDirectory work;
  write_file_atomic(work.path() / "a.cpp", R"(
extern "C" __attribute__((weak)) int system(const char*);
__attribute__((section("kept"))) int calls = 1;
__attribute__((section("code"))) int run() { return system ? system("id") + calls : 0; }
static int (*choose())() { return run; }
extern "C" __attribute__((ifunc("_ZL6choosev"))) int chosen();
__attribute__((constructor)) void begin() {}
__attribute__((destructor)) void end() {}
)");
  Command build;
  build.arguments = {KERNELLOOP_TEST_COMPILER, "-shared", "-fPIC", "a.cpp", "-o", "a.so",
                     "-Wl,-z,execstack"};
  build.directory = work.path();
  const ProcessResult result = kernelloop::run(build);
  ASSERT_TRUE(result.succeeded()) << result.error_output;
  const ModuleSymbols symbols = read_module_symbols(read_file(work.path() / "a.so"));
  EXPECT_THAT(symbols.imports, Contains("system"));
  EXPECT_THAT(symbols.variables, Contains("calls"));
  EXPECT_THAT(symbols.odd_places,
              ::testing::IsSupersetOf({"the section kept", "the section code",
                                       "the function chosen, which is chosen at load time",
                                       "an executable stack"}));
  EXPECT_EQ(symbols.initialisers, 2u);
  EXPECT_EQ(symbols.finalisers, 2u);
}

TEST(ModuleSymbols, WhatIsNoElfFileIsAnInternalError) {
  EXPECT_THROW(read_module_symbols(""), Error);
  EXPECT_THROW(read_module_symbols(std::string(100, 'x')), Error);
}

}  // namespace
}  // namespace kernelloop::testing
