#include "cpu/source_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

namespace kernelloop {
namespace {

using Kind = PreprocessedToken::Kind;

// Alignment, layout, inlining, hints and warnings: nothing that a linker or loader sees.
constexpr std::array k_attributes = std::to_array<std::string_view>({"aligned",
                                                                     "always_inline",
                                                                     "assume",
                                                                     "assume_aligned",
                                                                     "cold",
                                                                     "const",
                                                                     "deprecated",
                                                                     "device",
                                                                     "device_builtin",
                                                                     "ext_vector_type",
                                                                     "fallthrough",
                                                                     "flatten",
                                                                     "global",
                                                                     "hot",
                                                                     "launch_bounds",
                                                                     "likely",
                                                                     "may_alias",
                                                                     "maybe_unused",
                                                                     "no_unique_address",
                                                                     "nodiscard",
                                                                     "noinline",
                                                                     "nonnull",
                                                                     "noreturn",
                                                                     "nothrow",
                                                                     "packed",
                                                                     "pure",
                                                                     "returns_nonnull",
                                                                     "shared",
                                                                     "unlikely",
                                                                     "unused",
                                                                     "vector_size",
                                                                     "warn_unused_result"});

constexpr std::array k_pragmas = std::to_array<std::string_view>(
    {"unroll", "nounroll", "once", "ivdep", "pack", "region", "endregion", "message",
     "hd_warning_disable", "GCC diagnostic", "GCC unroll", "GCC ivdep", "clang diagnostic",
     "clang loop", "STDC FP_CONTRACT"});
constexpr std::array k_pragma_families = std::to_array<std::string_view>({"nv_", "diag_"});

// Instructions of the host, frames of the stack that belong to it, and what watches over them: a
// function of such a name that is inlined everywhere would leave no symbol (module_rules.cpp).
constexpr std::array k_denied_prefixes =
    std::to_array<std::string_view>({"__builtin_ia32_",
                                     "__builtin_aarch64_",
                                     "__builtin_arm_",
                                     "__builtin_eh_",
                                     "__builtin_dwarf_",
                                     "__builtin_init_dwarf",
                                     "__builtin_unwind",
                                     "__builtin_frob",
                                     "__builtin_extract_return",
                                     "__builtin_apply",
                                     "__builtin_return",
                                     "__builtin_frame_address",
                                     "__builtin_stack_address",
                                     "__builtin_thread_pointer",
                                     "__builtin_set_thread_pointer",
                                     "__builtin_setjmp",
                                     "__builtin_longjmp",
                                     "__rdtsc",
                                     "_rdtsc",
                                     "__rdpmc",
                                     "_rdpmc",
                                     "_rdrand",
                                     "_rdseed",
                                     "_xbegin",
                                     "__asan_",
                                     "__ubsan_",
                                     "__tsan_",
                                     "__lsan_",
                                     "__sanitizer_",
                                     "__interceptor_",
                                     "_Unwind_",
                                     "__cyg_",
                                     "_mm_",
                                     "_mm256_",
                                     "_mm512_"});

// What the emulation calls of the system for itself, and CUDA has not.
constexpr std::array k_names_of_system = std::to_array<std::string_view>(
    {"mmap", "mmap64", "munmap", "mprotect", "mremap", "getcontext", "setcontext", "makecontext",
     "swapcontext", "snprintf", "vsnprintf"});

// What both call: kernels may, but a body of their own would be the emulation's too.
constexpr std::array k_shared_names = std::to_array<std::string_view>(
    {"memset", "memcpy", "memmove", "memcmp", "bcmp", "strlen", "strcmp", "abort", "clock"});

template <std::size_t Count>
bool contains(const std::array<std::string_view, Count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// "aligned" for "__aligned__".
std::string_view plain(std::string_view name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    return name.substr(2, name.size() - 4);
  }
  return name;
}

class SourceExamination {
 public:
  explicit SourceExamination(const PreprocessedText& source) : tokens_(source.tokens) {
    for (const PreprocessedPragma& pragma : source.pragmas) check_pragma(pragma);
  }

  std::vector<BrokenRule> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const PreprocessedToken& token = tokens_[i];
      if (token.is("__attribute__") || token.is("__attribute")) {
        check_attributes(i + 1, 2);
      } else if (token.is("[") && is_at(i + 1, "[")) {
        check_attributes(i, 2);
      } else if (token.is("__declspec")) {
        check_attributes(i + 1, 1);
      } else if (token.kind == Kind::identifier) {
        check_word(token);
        check_definition(i);
      }
    }
    std::stable_sort(rules_.begin(), rules_.end(),
                     [](const BrokenRule& a, const BrokenRule& b) { return a.line < b.line; });
    return std::move(rules_);
  }

 private:
  [[nodiscard]] bool is_at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  void add(std::string message, std::size_t line) {
    if (said_.insert(message).second) rules_.push_back({std::move(message), line});
  }

  // The names in a list that stands `depth` brackets deep from `at` on: the first word of each
  // entry, or the one behind its last "::".
  void check_attributes(std::size_t at, int depth) {
    int level = 0;
    const PreprocessedToken* name = nullptr;
    const auto end_of_entry = [&] {
      if (name != nullptr) check_attribute(*name);
      name = nullptr;
    };
    bool takes_name = true;
    for (std::size_t i = at; i < tokens_.size(); ++i) {
      const PreprocessedToken& token = tokens_[i];
      const bool closes = token.is(")") || token.is("]") || token.is("}");
      if (closes && --level < depth) end_of_entry();
      if (closes && level <= 0) return;
      if (level == depth && !closes) {
        if (token.is(",") || token.is(":")) {
          if (token.is(":")) name = nullptr;  // [[using gnu : ...]]
          end_of_entry();
          takes_name = true;
        } else if (token.is("::")) {
          takes_name = true;
        } else if (token.kind == Kind::identifier && takes_name && !token.is("using")) {
          name = &token;
          takes_name = false;
        }
      }
      if (token.is("(") || token.is("[") || token.is("{")) {
        ++level;
      } else if (level == 0) {
        return;  // no list at all
      }
    }
  }

  void check_attribute(const PreprocessedToken& token) {
    const std::string_view name = plain(token.text);
    if (contains(k_attributes, name)) return;
    add(fmt::format("the attribute `{}` is not allowed in a version; remove it (allowed are {})",
                    name, fmt::join(k_attributes, ", ")),
        token.line);
  }

  void check_pragma(const PreprocessedPragma& pragma) {
    const std::string_view text = pragma.text;
    const auto names = [text](std::string_view known) {
      return text.starts_with(known) &&
             (text.size() == known.size() ||
              std::isspace(static_cast<unsigned char>(text[known.size()])) != 0 ||
              text[known.size()] == '(');
    };
    if (std::any_of(k_pragmas.begin(), k_pragmas.end(), names) ||
        std::any_of(k_pragma_families.begin(), k_pragma_families.end(),
                    [text](std::string_view family) { return text.starts_with(family); })) {
      return;
    }
    add(fmt::format("#pragma {} is not allowed in a version; remove it", text), pragma.line);
  }

  // One behind the bracket that closes what `at` opens.
  [[nodiscard]] std::size_t behind_brackets(std::size_t at) const {
    int level = 0;
    for (; at < tokens_.size(); ++at) {
      if (tokens_[at].is("(")) ++level;
      if (tokens_[at].is(")") && --level == 0) return at + 1;
    }
    return at;
  }

  // `name(...)` with a body behind it: noexcept, attributes and a trailing type may come between.
  // Inlined everywhere, it leaves no symbol for module_rules.cpp to see.
  void check_definition(std::size_t i) {
    if (!contains(k_shared_names, tokens_[i].text) || !is_at(i + 1, "(")) return;
    std::size_t at = behind_brackets(i + 1);
    while (at < tokens_.size() && !tokens_[at].is("{")) {
      const PreprocessedToken& token = tokens_[at];
      const bool part_of_head = token.kind == Kind::identifier || token.is("->") || token.is("*") ||
                                token.is("&") || token.is("::") || token.is("[") || token.is("]");
      if (!part_of_head && !token.is("(")) return;
      at = token.is("(") ? behind_brackets(at) : at + 1;
    }
    if (at < tokens_.size()) add_usurper(tokens_[i]);
  }

  void add_usurper(const PreprocessedToken& token) {
    add(fmt::format("`{}` is a name of the process that runs the version, which would call this "
                    "one in place of its own; give it another name",
                    token.text),
        token.line);
  }

  void check_word(const PreprocessedToken& token) {
    const std::string word = lower(token.text);
    if (word.find("kernelloop_cpu") != std::string::npos ||
        word.find("kernelloopcpu") != std::string::npos) {
      add(fmt::format("`{}` belongs to the emulation of a GPU, which a version neither sees nor "
                      "names; use what CUDA has, or another name",
                      token.text),
          token.line);
    } else if (contains(k_names_of_system, token.text)) {
      add(fmt::format("`{}` is not defined in this file and is no arithmetic of CUDA; a version is "
                      "device code and neither calls nor defines what belongs to the host",
                      token.text),
          token.line);
    } else if (std::any_of(
                   k_denied_prefixes.begin(), k_denied_prefixes.end(),
                   [&](std::string_view prefix) { return token.text.starts_with(prefix); })) {
      add(fmt::format("`{}` is no device code: it reads or changes the processor that emulates the "
                      "GPU; use what CUDA has",
                      token.text),
          token.line);
    }
  }

  const std::vector<PreprocessedToken>& tokens_;
  std::set<std::string> said_;
  std::vector<BrokenRule> rules_;
};

}  // namespace

std::vector<BrokenRule> broken_source_rules(const PreprocessedText& source) {
  return SourceExamination(source).run();
}

}  // namespace kernelloop
