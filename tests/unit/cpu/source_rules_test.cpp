// What the source of a version may not say to the host compiler.
#include "cpu/source_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "<line> <message>" of each rule that a preprocessed text breaks.
std::vector<std::string> broken_by(const std::string& text) {
  std::vector<std::string> messages;
  for (const BrokenRule& rule : broken_source_rules(tokenize_preprocessed(text))) {
    messages.push_back(std::to_string(rule.line) + " " + rule.message);
  }
  return messages;
}

TEST(SourceRules, WhatKernelsNeedIsFree) {
  EXPECT_THAT(
      broken_by("#pragma unroll 4\n#pragma nv_diag_suppress 177\n"
                "#pragma GCC diagnostic push\n#pragma STDC FP_CONTRACT OFF\n"
                "struct alignas(16) __attribute__((aligned(16), __packed__)) Pack { int a; };\n"
                "[[nodiscard, gnu::noinline]] [[using gnu : hot, unused]] int f(int section);\n"
                "[[deprecated(\"weak, alias\")]] int g(int a[2][3]) { return a[f(1)][0]; }\n"
                "typedef int v4 __attribute__((vector_size(16), may_alias));\n"
                "__attribute__(()) int weak = __builtin_clz(1u), constructor;\n"),
      IsEmpty());
}

TEST(SourceRules, AttributesThatALinkerOrLoaderSeesAreRefused) {
  for (const char* name :
       {"section", "alias", "ifunc", "constructor", "destructor", "weak", "visibility", "cleanup",
        "no_sanitize_address", "target_clones", "init_priority", "naked", "used"}) {
    const std::string word = name;
    const std::string expected = "the attribute `" + word + "` is not allowed";
    for (const std::string& form :
         {"__attribute__((" + word + "(1))) int x;",
          "__attribute((aligned(4), __" + word + "__)) int x;", "[[gnu::" + word + "]] int x;",
          "[[ using gnu : cold, " + word + "(\"a\", (2)) ]] int x;",
          "__declspec(" + word + ") int x;"}) {
      EXPECT_THAT(broken_by("\n" + form), ElementsAre(HasSubstr("2 " + expected))) << form;
    }
  }
}

TEST(SourceRules, PragmasThatRenameOrHideAreRefused) {
  EXPECT_THAT(
      broken_by("#pragma weak system\n#pragma redefine_extname f system\n"
                "# pragma  GCC system_header \n#pragma unrolled\n"),
      ElementsAre(HasSubstr("1 #pragma weak system is not allowed"),
                  HasSubstr("2 #pragma redefine_extname f system"),
                  HasSubstr("3 #pragma GCC system_header is"), HasSubstr("4 #pragma unrolled is")));
}

TEST(SourceRules, TheEmulationHasNoNames) {
  EXPECT_THAT(
      broken_by("int a = kernelloop_cpu::state.launch;\nKernelLoopCpuModule m;\n"
                "extern int _ZN14kernelloop_cpu5stateE;\nint fine = kernelloop::trace::id_of();\n"),
      ElementsAre(HasSubstr("1 `kernelloop_cpu` belongs to the emulation"),
                  HasSubstr("2 `KernelLoopCpuModule` belongs"),
                  HasSubstr("3 `_ZN14kernelloop_cpu5stateE` belongs")));
}

TEST(SourceRules, TheProcessorIsNotAsked) {
  EXPECT_THAT(broken_by("long t = __builtin_ia32_rdtsc();\nvoid* p = __builtin_frame_address(0);\n"
                        "long u = __rdtsc();\n"),
              ElementsAre(HasSubstr("1 `__builtin_ia32_rdtsc` is no device code"),
                          HasSubstr("2 `__builtin_frame_address`"), HasSubstr("3 `__rdtsc`")));
}

// A function that is inlined everywhere leaves no symbol that would tell.
TEST(SourceRules, WhatTheEmulationCallsKeepsItsMeaning) {
  EXPECT_THAT(
      broken_by("extern \"C\" inline void* mmap(void*, unsigned long, int, int, int, long);\n"
                "extern \"C\" inline int mprotect(void* p, unsigned long, int) { return 0; }\n"
                "inline __attribute__((always_inline)) void* memset(void* p, int, size_t) "
                "noexcept(true) { return p; }\n"
                "auto memcpy(void* p, const void*, size_t) -> void* { return p; }\n"),
      ElementsAre(HasSubstr("1 `mmap` is not defined in this file"),
                  HasSubstr("2 `mprotect` is not defined in this file"),
                  HasSubstr("3 `memset` is a name of the process"),
                  HasSubstr("4 `memcpy` is a name of the process")));
  EXPECT_THAT(broken_by("extern \"C\" void* memcpy(void*, const void*, size_t) noexcept;\n"
                        "void f(int* a, int* b) { if (memcmp(a, b, 4) != 0) { memcpy(a, b, 4); } "
                        "if (memcmp(a, b, 4)) { long t = clock(); } memset(a, 0, 4); }\n"),
              IsEmpty());
}

}  // namespace
}  // namespace kernelloop::testing
