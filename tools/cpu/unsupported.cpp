#include "cpu/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <vector>

namespace kernelloop {

namespace {

struct Construct {
  std::string_view word;
  std::string_view what;
};

constexpr std::array k_words = std::to_array<Construct>({
    {"asm", "inline assembly"},
    {"__asm", "inline assembly"},
    {"__asm__", "inline assembly"},
    {"printf", "printf"},
    {"nvcuda", "tensor core fragments (wmma)"},
    {"CUtensorMap", "a tensor map (TMA)"},
    {"this_grid", "a grid group: blocks run one after the other"},
    {"grid_group", "a grid group: blocks run one after the other"},
    {"this_cluster", "a cluster group"},
    {"cluster_group", "a cluster group"},
    {"__cluster_dims__", "a cluster of blocks"},
    {"memcpy_async", "an asynchronous copy"},
    {"cudaTextureObject_t", "a texture"},
    {"cudaSurfaceObject_t", "a surface"},
});

constexpr std::array k_prefixes = std::to_array<Construct>({
    {"__mma_", "a tensor core intrinsic"},
    {"__wmma_", "a tensor core intrinsic"},
    {"__pipeline_", "an asynchronous copy pipeline"},
    {"__cluster_", "a cluster of blocks"},
    {"__nvvm_", "an NVVM intrinsic"},
    {"tex1D", "a texture"},
    {"tex2D", "a texture"},
    {"tex3D", "a texture"},
    {"texCubemap", "a texture"},
    {"surf1D", "a surface"},
    {"surf2D", "a surface"},
    {"surf3D", "a surface"},
});

// Headers that come with CUDA or its libraries.
constexpr std::array k_headers = std::to_array<std::string_view>({
    "cub/",    "thrust/", "cutlass/", "cute/",        "cuda/",    "nv/",      "cooperative_groups/",
    "crt/",    "cuco/",   "mma.h",    "nvfunctional", "texture_", "surface_", "sm_",
    "cuda",    "curand",  "cublas",   "cudnn",        "nccl",     "nvshmem",  "nvtx",
    "device_",
});

constexpr std::array k_allowed_cuda_functions = std::to_array<std::string_view>(
    {"cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"});

std::string_view construct_of(const PreprocessedToken& token) {
  if (token.kind == PreprocessedToken::Kind::punctuation) {
    return token.is("<<<") ? "a kernel launch (a version is device code and launches nothing)" : "";
  }
  if (token.kind != PreprocessedToken::Kind::identifier) return "";
  for (const Construct& construct : k_words) {
    if (token.is(construct.word)) return construct.what;
  }
  for (const Construct& construct : k_prefixes) {
    if (token.text.starts_with(construct.word)) return construct.what;
  }
  // cudaMalloc, cudaStream_t, ...: the runtime API.
  if (token.text.size() > 4 && token.text.starts_with("cuda") &&
      std::isupper(static_cast<unsigned char>(token.text[4])) != 0 &&
      std::find(k_allowed_cuda_functions.begin(), k_allowed_cuda_functions.end(), token.text) ==
          k_allowed_cuda_functions.end()) {
    return "the CUDA runtime API";
  }
  return "";
}

// `asm volatile("" ::: "memory")`: no instruction, only an order for the compiler, which the host's
// keeps as well. Anything with text or operands is something else.
bool is_compiler_fence(const std::vector<PreprocessedToken>& tokens, std::size_t at) {
  const auto is = [&](std::size_t i, std::string_view text) {
    return i < tokens.size() && tokens[i].is(text);
  };
  if (!is(at, "asm") && !is(at, "__asm__") && !is(at, "__asm")) return false;
  ++at;
  while (is(at, "volatile") || is(at, "__volatile__")) ++at;
  if (!is(at, "(") || !is(at + 1, "\"\"")) return false;
  int colons = 0;
  for (at += 2; is(at, ":") || is(at, "::"); ++at) colons += is(at, "::") ? 2 : 1;
  if (is(at, ")")) return true;
  return colons == 3 && is(at, "\"memory\"") && is(at + 1, ")");
}

// cuda::barrier and the like, but nothing of cuda::std, which is the host's library here. A
// variable may well be called cuda.
bool names_libcudacxx(const std::vector<PreprocessedToken>& tokens, std::size_t at) {
  const auto is = [&](std::size_t i, std::string_view text) {
    return i < tokens.size() && tokens[i].is(text);
  };
  return is(at, "cuda") && is(at + 1, "::") && !is(at + 2, "std");
}

// The header's name as an include directive has it, when it comes with CUDA: "cub/cub.cuh" for
// /usr/local/cuda/include/cccl/cub/cub.cuh. Empty for all others, our own stand-ins among them.
std::string_view cuda_header(std::string_view path) {
  constexpr std::string_view k_directory = "/include/";
  const std::size_t at = path.rfind(k_directory);
  std::string_view name =
      at == std::string_view::npos ? path : path.substr(at + k_directory.size());
  if (name.starts_with("cccl/")) name.remove_prefix(5);
  const bool known =
      std::any_of(k_headers.begin(), k_headers.end(),
                  [name](std::string_view prefix) { return name.starts_with(prefix); });
  return known ? name : std::string_view();
}

}  // namespace

std::optional<std::string> find_unsupported(const PreprocessedText& text) {
  // A toolkit on the compiler's own path offers headers that only nvcc can use.
  for (const PreprocessedInclude& include : text.includes) {
    const std::string_view name = cuda_header(include.path);
    if (name.empty()) continue;
    return fmt::format("{}:{}: the CPU device lacks the header <{}>", text.files[include.file],
                       include.line, name);
  }
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const PreprocessedToken& token = text.tokens[i];
    std::string_view what = construct_of(token);
    if (what.empty() && names_libcudacxx(text.tokens, i)) what = "libcu++ (cuda::)";
    if (what.empty() || is_compiler_fence(text.tokens, i)) continue;
    const bool member = i > 0 && (text.tokens[i - 1].is(".") || text.tokens[i - 1].is("->"));
    if (member) continue;
    return fmt::format("{}:{}: the CPU device lacks {}: `{}`", text.files[token.file], token.line,
                       what, token.text);
  }
  return std::nullopt;
}

namespace {

using Match = std::match_results<std::string_view::const_iterator>;

bool search(std::string_view line, Match& match, const std::regex& pattern) {
  return std::regex_search(line.begin(), line.end(), match, pattern);
}

// The lines of `text` that a message for a person could be; std::regex can't take endless ones.
std::vector<std::string_view> lines_of(std::string_view text) {
  constexpr std::size_t k_longest = 2000;
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end <= k_longest) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::string> missing_header(std::string_view line) {
  static const std::regex pattern(
      R"(^([^:]+:\d+):\d+: fatal error: (?:'([^']+)' file not found|(\S+): No such file or directory))");
  Match match;
  if (!search(line, match, pattern)) return std::nullopt;
  const std::string name = match[2].matched ? match[2].str() : match[3].str();
  if (cuda_header(name).empty()) return std::nullopt;
  return fmt::format("{}: the CPU device lacks the header <{}>", match[1].str(), name);
}

std::optional<std::string> undeclared_intrinsic(std::string_view place, std::string_view error) {
  static const std::regex pattern(
      R"('(__[a-z]\w*)' was not declared|identifier '(__[a-z]\w*)'|no arguments to '(__[a-z]\w*)')");
  Match match;
  if (!search(error, match, pattern)) return std::nullopt;
  for (std::size_t i = 1; i < match.size(); ++i) {
    if (!match[i].matched) continue;
    // Our own words, where the rewriter could make nothing of them.
    if (match[i] == "__shared__" || match[i] == "__global__") return std::nullopt;
    return fmt::format("{}: the CPU device lacks the intrinsic `{}`, if CUDA has it", place,
                       match[i].str());
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> unsupported_in_messages(std::string_view messages) {
  static const std::regex error(R"(^([^:]+:\d+):\d+: error: (.*)$)");
  static const std::regex asked(R"(^([^:]+\.cu:\d+):\d+:\s+required from)");
  static const std::regex included(R"(^(?:In file included|\s+) from ([^:]+\.cu:\d+))");
  static const std::regex own("KERNELLOOP_NOT_RUNNABLE: ([^\"]*)");
  std::string asked_at;
  for (const std::string_view line : lines_of(messages)) {
    if (auto found = missing_header(line)) return found;
    Match match;
    if (search(line, match, asked) || search(line, match, included)) asked_at = match[1].str();
    if (!search(line, match, error)) continue;
    const std::string place = match[1].str();
    const std::string text = match[2].str();
    if (search(line, match, own)) {
      // The template of ours that refuses is not where the user asked for it.
      return fmt::format("{}: the CPU device lacks {}", asked_at.empty() ? place : asked_at,
                         match[1].str());
    }
    if (const auto header = cuda_header(place.substr(0, place.rfind(':'))); !header.empty()) {
      return fmt::format("{}: the CPU device lacks the header <{}>", asked_at, header);
    }
    // Only the first error counts: after another one, something else is wrong.
    return undeclared_intrinsic(place, text);
  }
  return std::nullopt;
}

}  // namespace kernelloop
