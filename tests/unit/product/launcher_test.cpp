#include "product/image_text.hpp"
#include "product/launcher_axes.hpp"
#include "product/launcher_source.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "launcher_fixture.hpp"

#include <random>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

bool toolkit_present() { return std::filesystem::exists(TEST_CUDA_INCLUDE "/cuda_runtime_api.h"); }

std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"g++", "clang++"}) {
    if (!find_program(name).empty()) found.push_back(name);
  }
  return found;
}

std::vector<std::string> strict_flags() {
  return {"-std=c++17", "-Wall",           "-Wextra",  "-Wpedantic",     "-Wshadow",
          "-Werror",    "-I" TEST_INCLUDE, "-isystem", TEST_CUDA_INCLUDE};
}

ProcessResult compile(const std::string& compiler, const std::vector<std::string>& more) {
  Command command;
  command.arguments = {compiler};
  for (const std::string& flag : strict_flags()) command.arguments.push_back(flag);
  for (const std::string& one : more) command.arguments.push_back(one);
  return run(command);
}

// Compiles header and source of a library as strictly as users may, and its header alone.
void expect_clean(const OpSpec& spec, const std::vector<ShippedVersion>& versions) {
  if (!toolkit_present()) GTEST_SKIP() << "no CUDA Toolkit at " TEST_CUDA_INCLUDE;
  const TemporaryDirectory directory;
  const LauncherSource text = launcher_source(spec, versions);
  const std::filesystem::path source = directory.path() / (spec.name + ".cpp");
  write_file_atomic(directory.path() / (spec.name + ".h"), text.header);
  write_file_atomic(source, text.source);
  write_file_atomic(directory.path() / "user.cpp",
                    fmt::format("#include \"{0}.h\"\nint main() {{ return "
                                "kernelloop::ops::{0}_version()[0]; }}\n",
                                spec.name));
  for (const std::string& compiler : compilers()) {
    for (const std::string& file : {std::string("user.cpp"), source.filename().string()}) {
      const ProcessResult result =
          compile(compiler, {"-fsyntax-only", (directory.path() / file).string()});
      EXPECT_TRUE(result.succeeded()) << compiler << " " << file << "\n" << result.error_output;
    }
  }
}

TEST(Launcher, OfARichPlanCompilesClean) { expect_clean(rich_spec(), {rich_version()}); }

TEST(Launcher, OfTensorMapsCompilesClean) { expect_clean(rich_spec(), {mapped_version()}); }

TEST(Launcher, OnlyTensorMapsNeedTheDriversHeader) {
  EXPECT_THAT(launcher_source(rich_spec(), {mapped_version()}).source,
              HasSubstr("#include <kernelloop/tensor_map_encoder.hpp>"));
  EXPECT_THAT(launcher_source(rich_spec(), {rich_version()}).source, Not(HasSubstr("tensor_map")));
}

TEST(Launcher, OfAPlainPlanCompilesClean) {
  const OpSpec spec = plain_spec();
  expect_clean(spec, {plain_version(spec)});
}

TEST(Launcher, OfSeveralVersionsCompilesClean) {
  const OpSpec spec = plain_spec();
  expect_clean(spec,
               {plain_version(spec, "v002", {"90a", "80"}), plain_version(spec, "v005", {"100f"})});
}

TEST(Launcher, DeclaresWhatUsersCall) {
  const OpSpec spec = plain_spec();
  const std::string header = launcher_source(spec, {plain_version(spec)}).header;
  EXPECT_THAT(header, HasSubstr("cudaError_t twice(const float* x, float* y, std::int64_t n, "
                                "cudaStream_t stream) noexcept;"));
  EXPECT_THAT(header, HasSubstr("cudaError_t twice(const float* x, float* y, void* workspace, "
                                "std::size_t workspace_bytes, std::int64_t n, cudaStream_t "
                                "stream) noexcept;"));
  EXPECT_THAT(header, HasSubstr("std::size_t twice_workspace_bytes(std::int64_t n) noexcept;"));
  EXPECT_THAT(header, HasSubstr("cudaError_t twice_prepare() noexcept;"));
  EXPECT_THAT(header, HasSubstr("const char* twice_version() noexcept;"));
}

TEST(Launcher, ANeededWorkspaceMustBePassed) {
  const std::string header = launcher_source(rich_spec(), {rich_version()}).header;
  EXPECT_THAT(header, Not(HasSubstr("float* norm, std::int64_t rows")));
  EXPECT_THAT(header, HasSubstr("float* norm, void* workspace, std::size_t workspace_bytes, "
                                "std::int64_t rows, std::int64_t heads, cudaStream_t stream)"));
  EXPECT_THAT(header, HasSubstr("const __nv_bfloat16* x, float a, const bool* mask"));
  EXPECT_THAT(header, HasSubstr("#include <cuda_bf16.h>"));
  EXPECT_THAT(header, HasSubstr("#include <cuda_fp16.h>"));
}

TEST(Launcher, IsTheSameTextForTheSameInput) {
  EXPECT_EQ(launcher_source(rich_spec(), {rich_version()}).source,
            launcher_source(rich_spec(), {rich_version()}).source);
}

TEST(Launcher, RefusesNamesThatItUsesItself) {
  OpSpec spec = plain_spec();
  const ShippedVersion version = plain_version(spec);
  spec.outputs.front().name = "stream";
  try {
    launcher_source(spec, {version});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("'stream'"));
  }
}

TEST(Launcher, RefusesAPlanThatDoesNotFitItsKernels) {
  const OpSpec spec = plain_spec();
  ShippedVersion version = plain_version(spec);
  version.kernels.front().parameters.pop_back();
  EXPECT_THROW(launcher_source(spec, {version}), Error);
  version.kernels.clear();
  EXPECT_THROW(launcher_source(spec, {version}), Error);
}

TEST(TargetText, ReadsArchitectures) {
  EXPECT_EQ(target_text("90a"), "{9, 0, 'a'}");
  EXPECT_EQ(target_text("80"), "{8, 0, '\\0'}");
  EXPECT_EQ(target_text("103f"), "{10, 3, 'f'}");
  EXPECT_THROW(target_text("native"), Error);
  EXPECT_THROW(target_text(""), Error);
}

TEST(CommentText, CannotLeaveTheComment) {
  EXPECT_EQ(comment_text("a\nb \\\n\nint x; */"), "// a\n// b\n//\n// int x; */\n");
  EXPECT_EQ(comment_text("a\rb\x01"), "// a b\n");
}

TEST(ImageText, HoldsTheBytesInOrder) {
  EXPECT_EQ(image_text("k", "ABCDEFGHI"),
            "alignas(64) const std::uint64_t k[] = {\n"
            "    0x4847464544434241u, 0x49u,\n};\n");
}

// Runs the generated arithmetic against the tools' own evaluation of the same spec and plan.
class AxesProgram {
 public:
  AxesProgram(const OpSpec& spec, const LaunchPlan& plan) {
    std::string text = "#include <kernelloop/checked.hpp>\n#include <cstdio>\n#include <cstdlib>\n";
    text += axes_struct(spec, plan, false);
    text +=
        "int main(int argc, char** argv) {\n  for (int i = 1; i + 1 < argc; i += 2) {\n"
        "    Axes axes(std::atoll(argv[i]), std::atoll(argv[i + 1]));\n"
        "    if (!axes.kl_valid()) { std::puts(\"invalid\"); continue; }\n"
        "    long long values[16] = {}; int count = 0;\n"
        "    values[count++] = axes.kl_workspace().value();\n";
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
      text += fmt::format("    values[count++] = axes.kl_when_{}();\n", i);
      for (std::size_t j = 0; j < plan.launches[i].arguments.size(); ++j) {
        if (expression_of(plan.launches[i].arguments[j]) == nullptr) continue;
        text += fmt::format("    values[count++] = axes.kl_value_{}_{}().value();\n", i, j);
      }
    }
    text +=
        "    if (axes.kl_failed) { std::puts(\"failed\"); continue; }\n"
        "    for (int k = 0; k < count; ++k) std::printf(\"%lld \", values[k]);\n"
        "    std::puts(\"\");\n  }\n}\n";
    write_file_atomic(directory_.path() / "axes.cpp", text);
    Command command;
    command.arguments = {"g++",
                         "-std=c++17",
                         "-Wall",
                         "-Wextra",
                         "-Wpedantic",
                         "-Werror",
                         "-fsanitize=undefined",
                         "-fno-sanitize-recover=all",
                         "-I" TEST_INCLUDE,
                         "-o",
                         program(),
                         (directory_.path() / "axes.cpp").string()};
    const ProcessResult result = run(command);
    if (!result.succeeded()) throw std::runtime_error(result.error_output);
  }

  std::vector<std::string> lines(const std::vector<std::pair<std::int64_t, std::int64_t>>& shapes) {
    Command command;
    command.arguments = {program()};
    for (const auto& [rows, heads] : shapes) {
      command.arguments.push_back(std::to_string(rows));
      command.arguments.push_back(std::to_string(heads));
    }
    const ProcessResult result = run(command);
    if (!result.succeeded()) throw std::runtime_error(result.error_output);
    std::vector<std::string> found;
    std::size_t begin = 0;
    while (begin < result.output.size()) {
      const std::size_t end = result.output.find('\n', begin);
      found.push_back(result.output.substr(begin, end - begin));
      begin = end + 1;
    }
    return found;
  }

  static const Expression* expression_of(const Argument& argument) {
    if (const auto* integer = std::get_if<IntegerArgument>(&argument)) return &integer->value;
    if (const auto* scratch = std::get_if<WorkspaceArgument>(&argument)) return &scratch->offset;
    return nullptr;
  }

 private:
  std::string program() const { return (directory_.path() / "axes").string(); }
  TemporaryDirectory directory_;
};

std::string expected_line(const OpSpec& spec, const LaunchPlan& plan, std::int64_t rows,
                          std::int64_t heads) {
  const Bindings variables = {{"rows", rows}, {"heads", heads}};
  if (!admissible(spec, variables)) return "invalid";
  const Bindings axes = resolve_axes(spec, variables);
  try {
    std::string line = fmt::format("{} ", plan.workspace_bytes.evaluate(axes));
    for (const Launch& launch : plan.launches) {
      line += fmt::format("{} ", launch.when->evaluate(axes) != 0 ? 1 : 0);
      for (const Argument& argument : launch.arguments) {
        if (const Expression* value = AxesProgram::expression_of(argument)) {
          line += fmt::format("{} ", value->evaluate(axes));
        }
      }
    }
    return line;
  } catch (const ExpressionError&) {
    return "failed";
  }
}

TEST(GeneratedArithmetic, AgreesWithTheToolsOnRandomShapes) {
  const OpSpec spec = rich_spec();
  const LaunchPlan plan = rich_plan(spec);
  AxesProgram program(spec, plan);
  std::mt19937_64 generator(3);
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {{1, 1},
                                                               {0, 1},
                                                               {-2, 4},
                                                               {3, 4},
                                                               {2, 65},
                                                               {2, 64},
                                                               {INT64_MAX - 1, 64},
                                                               {INT64_MAX / 8 - 1, 2},
                                                               {INT64_MIN, 1},
                                                               {2, INT64_MAX}};
  for (int i = 0; i < 300; ++i) {
    // Small, middle and huge numbers alike.
    const auto scale = static_cast<int>(generator() % 62);
    shapes.emplace_back(static_cast<std::int64_t>(generator() >> (63 - scale)) & ~std::int64_t{1},
                        static_cast<std::int64_t>(generator() % 70));
  }
  const std::vector<std::string> lines = program.lines(shapes);
  ASSERT_EQ(lines.size(), shapes.size());
  int valid = 0;
  int failed = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto [rows, heads] = shapes[i];
    EXPECT_EQ(lines[i], expected_line(spec, plan, rows, heads)) << rows << " x " << heads;
    valid += lines[i] != "invalid" && lines[i] != "failed" ? 1 : 0;
    failed += lines[i] == "failed" ? 1 : 0;
  }
  EXPECT_GT(valid, 50);
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace kernelloop
