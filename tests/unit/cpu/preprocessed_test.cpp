// Tokens, declarations and kernels as the rewriter sees them, without a compiler.
#include "cpu/preprocessed.hpp"

#include "cpu/cuda_rewriter.hpp"
#include "cpu/unsupported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> result;
  for (const PreprocessedToken& token : tokenize_preprocessed(text).tokens) {
    result.emplace_back(token.text);
  }
  return result;
}

std::string rewritten(const std::string& text) {
  return rewrite_cuda(text, tokenize_preprocessed(text), "key").text;
}

TEST(Tokens, LiteralsAreWhole) {
  EXPECT_THAT(tokens_of(R"t(a "x\"y" 'c' '\'' 1'000 0x1p-3f u8"s" R"d(a)" b)d" e)t"),
              ElementsAre("a", R"("x\"y")", "'c'", R"('\'')", "1'000", "0x1p-3f", R"(u8"s")",
                          R"s(R"d(a)" b)d")s", "e"));
  EXPECT_THAT(tokens_of("a<<<b::c->d>>"),
              ElementsAre("a", "<<<", "b", "::", "c", "->", "d", ">", ">"));
}

TEST(Tokens, LinesComeFromMarkersAndSystemHeadersAreLeftOut) {
  const std::string text =
      "# 0 \"k.cu\"\n# 1 \"/usr/include/x.h\" 1 3\nint hidden;\n# 2 \"k.cu\" 2\nint\n a\n"
      "# 30 \"k.cu\" 3 4\n expanded\n# 30 \"k.cu\"\n b R\"(\n)\" c\n";
  const PreprocessedText result = tokenize_preprocessed(text);
  std::vector<std::string> seen;
  for (const PreprocessedToken& token : result.tokens) {
    if (token.kind == PreprocessedToken::Kind::string) continue;
    seen.push_back(std::string(token.text) + ":" + std::to_string(token.line));
  }
  EXPECT_THAT(seen, ElementsAre("int:2", "a:3", "expanded:30", "b:30", "c:31"));
}

TEST(Rewriter, SharedDeclarations) {
  const std::string text = rewritten(
      "void f() { __shared__ std::pair<int, int> a[2], *b, (*c)[3]; extern __shared__ float d[]; "
      "}");
  EXPECT_THAT(text,
              HasSubstr("struct kernelloop_shared_0 { std :: pair < int , int > a [ 2 ]; };"));
  EXPECT_THAT(text, HasSubstr("struct kernelloop_shared_1 { std :: pair < int , int > * b; };"));
  EXPECT_THAT(
      text, HasSubstr("struct kernelloop_shared_2 { std :: pair < int , int > ( * c ) [ 3 ]; };"));
  EXPECT_THAT(text, HasSubstr("static auto& c = "));
  EXPECT_THAT(text, HasSubstr("struct kernelloop_shared_3 { float d [1]; };"));
  EXPECT_THAT(text, HasSubstr("WithoutBound<decltype(kernelloop_shared_3::d)>::Type&>"));
}

TEST(Rewriter, SharedVariablesOutsideOfFunctionsAreRegisteredByTheirNamespaces) {
  const std::string text = rewritten(
      "__shared__ int a; namespace x::y { namespace { __shared__ int b; } inline namespace z { "
      "__shared__ int c; } extern __shared__ int d[]; }");
  EXPECT_THAT(text, HasSubstr("  ::kernelloop_shared_0_register();\n"
                              "  ::x::y::kernelloop_shared_1_register();\n"
                              "  ::x::y::z::kernelloop_shared_2_register();\n"));
  EXPECT_THAT(text, Not(HasSubstr("kernelloop_shared_3_register")));
}

TEST(Rewriter, ConstantsGoWhereTheLoaderForbidsStores) {
  const std::string text = rewritten(
      "__constant__ float t[2] = {1, 2}; static __device__ __constant__ const Pair<int, 3> p{4};");
  EXPECT_THAT(text, HasSubstr("__attribute__((section(\".data.rel.ro.t\"))) float t[2]"));
  EXPECT_THAT(text, HasSubstr("__attribute__((section(\".data.rel.ro.p\"))) const Pair"));
}

TEST(Rewriter, LinesStay) {
  const std::string before =
      "extern \"C\" __global__\nvoid __launch_bounds__(\n 64)\nk(int* x)\n{\n __shared__ int\n a\n"
      " [2];\n marker;\n}\n";
  const std::string after = rewritten(before);
  const auto lines_before = [](const std::string& text, const std::string& word) {
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(word)),
                      '\n');
  };
  EXPECT_EQ(lines_before(before, "marker"), lines_before(after, "marker"));
}

TEST(Rewriter, KernelsAreExternCDefinitions) {
  const auto kernels = [](const std::string& text) {
    return rewrite_cuda(text, tokenize_preprocessed(text), "key").kernels;
  };
  EXPECT_THAT(kernels("extern \"C\" __global__ void a() {} __global__ void b() {}"),
              ElementsAre("a"));
  EXPECT_THAT(
      kernels("extern \"C\" { namespace n { __global__ void a(); __global__ void b() { { } } } }"),
      ElementsAre("b"));
  EXPECT_THAT(
      kernels("extern \"C\" { extern \"C++\" { template <class T> __global__ void a(T) {} } }"),
      ElementsAre());
  EXPECT_THAT(
      kernels("extern \"C\" void __launch_bounds__(f(1), 2) __global__ a(int (*x)(int)) {}"),
      ElementsAre("a"));
}

TEST(Rewriter, TheCompilersOwnNoinlineStays) {
  const std::string text =
      rewritten("__attribute__((__noinline__)) void f(); __noinline__ void g();");
  EXPECT_THAT(
      text,
      HasSubstr("__attribute__((__noinline__)) void f(); __attribute__((noinline)) void g();"));
}

TEST(Unsupported, MembersAndPlainNamesAreFine) {
  const auto found = [](const std::string& text) {
    return find_unsupported(tokenize_preprocessed(text)).value_or("");
  };
  EXPECT_EQ(found("int cuda = 1; x.asm; y->printf(); const char* s = \"asm\"; int cudart;"), "");
  EXPECT_EQ(found("cudaGridDependencySynchronize();"), "");
  EXPECT_EQ(found("auto b = cuda::std::min(1, 2); auto c = ::cuda::std::byte(1);"), "");
  EXPECT_THAT(found("cuda::barrier<cuda::thread_scope_block> b;"), HasSubstr("libcu++"));
  EXPECT_THAT(found("__mma_m16n16k16();"), HasSubstr("tensor core"));
}

TEST(Unsupported, OnlyTheFirstErrorCounts) {
  EXPECT_FALSE(
      unsupported_in_messages("k.cu:1:2: error: expected ';'\n"
                              "k.cu:2:2: error: '__foo' was not declared in this scope\n"));
  EXPECT_TRUE(unsupported_in_messages("k.cu:2:2: error: '__foo' was not declared in this scope\n"));
  EXPECT_FALSE(unsupported_in_messages("k.cu:2:2: error: 'foo' was not declared in this scope\n"));
  EXPECT_FALSE(
      unsupported_in_messages("k.cu:2:2: fatal error: mine.h: No such file or directory\n"));
  EXPECT_TRUE(unsupported_in_messages("k.cu:2:2: fatal error: 'cute/tensor.hpp' file not found\n"));
  EXPECT_FALSE(unsupported_in_messages("k.cu:2:2: error: " + std::string(100000, '\'')));
}

}  // namespace
}  // namespace kernelloop::testing
