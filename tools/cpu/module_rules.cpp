#include "cpu/module_rules.hpp"

#include "cpu/module_symbols.hpp"
#include "support/demangle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <set>

namespace kernelloop {
namespace {

using Names = std::set<std::string, std::less<>>;

std::string state_message(const std::string& variable) {
  return fmt::format(
      "the variable `{}` outlives the launch: a version keeps no state, since two calls at the "
      "same time would share it; use registers, shared memory, or the plan's workspace, which a "
      "launch of its own can clear",
      variable);
}

// "calls" of "counter(int)::calls".
std::string last_part_of_name(const std::string& name) {
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
  });
}

// What the emulation layer, the compiler and the sanitizers keep.
bool is_own_variable(const std::string& name) {
  static const std::array<std::string_view, 4> k_coordinates{"threadIdx", "blockIdx", "blockDim",
                                                             "gridDim"};
  return starts_with_any(
             name, {"_ZN14kernelloop_cpu", "_ZZN14kernelloop_cpu", "_ZGV", "kernelloop_cpu_",
                    "_ZZ21kernelloop_cpu_module", "__odr_asan", "completed.", "__dso_handle",
                    "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "__TMC_END__", "__do_global_dtors_aux",
                    "__frame_dummy", "___asan_", "__asan_", "_ZTI", "_ZTV", "_ZTS"}) ||
         std::find(k_coordinates.begin(), k_coordinates.end(), name) != k_coordinates.end();
}

// The names that a declaration gives, from behind its first word on: "float a[4], (*b)[2] = ...".
void add_declared_names(const std::vector<PreprocessedToken>& tokens, std::size_t from,
                        Names& names) {
  std::string_view name;
  int parentheses = 0;
  int inner = 0;  // brackets and braces: sizes, members, first values
  bool named = false;
  for (std::size_t i = from; i < tokens.size(); ++i) {
    const PreprocessedToken& token = tokens[i];
    if (inner == 0 && parentheses == 0) {
      const bool ends_declarator = token.is(",") || token.is(";");
      if (!named && (ends_declarator || token.is("[") || token.is("="))) {
        names.emplace(name);
        named = true;
      }
      if (token.is(",")) named = false;
      if (token.is(";")) return;
    }
    if (token.is("(")) ++parentheses;
    if (token.is(")")) --parentheses;
    if (token.is("[") || token.is("{")) ++inner;
    if (token.is("]") || token.is("}")) --inner;
    if (inner == 0 && token.kind == PreprocessedToken::Kind::identifier) name = token.text;
    if (inner < 0 || parentheses < 0) return;
  }
}

// Variables that do not outlive a launch, or that no launch can write.
Names harmless_names(const PreprocessedText& source) {
  Names names;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    if (source.tokens[i].is("__shared__") || source.tokens[i].is("__constant__")) {
      add_declared_names(source.tokens, i + 1, names);
    }
  }
  return names;
}

// Functions of libm, for which kernels of CUDA have the same names.
bool is_arithmetic(const std::string& name) {
  static const std::regex k_math(
      "(a?(cos|sin|tan)h?|a?tan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|erfc?|"
      "[lt]gamma|j[01n]|y[01n]|f(abs|ma|max|min|mod|dim)|remainder|remquo|(nearby|l?l?r)int|"
      "l?l?round|trunc|floor|ceil|scalbl?n|ldexp|frexp|modf|ilogb|nextafter|nan|copysign)[fl]?"
      "(_r)?|__(is|f?p?class|sign)\\w*|__\\w+_finite|__\\w*[hsdtx]f[23]|__\\w*[stdx]i[234]?|"
      "__atomic_\\w+|abs|labs|llabs");
  return std::regex_match(name, k_math);
}

// "memcpy" for "__memcpy_chk", which a fortified build calls in its place.
std::string unfortified(const std::string& name) {
  constexpr std::string_view k_prefix = "__";
  constexpr std::string_view k_suffix = "_chk";
  const std::size_t frame = k_prefix.size() + k_suffix.size();
  const bool fortified =
      name.size() > frame && starts_with_any(name, {k_prefix}) &&
      name.compare(name.size() - k_suffix.size(), k_suffix.size(), k_suffix) == 0;
  return fortified ? name.substr(k_prefix.size(), name.size() - frame) : name;
}

// What the emulation layer itself calls, and what compilers call for plain code.
bool is_plumbing(const std::string& name) {
  static const Names k_names{
      "abort", "clock", "memset", "memcpy", "memmove", "memcmp", "strlen", "strcmp", "mmap",
      "munmap", "free", "mprotect", "snprintf", "vsnprintf", "malloc", "_Znwm", "_ZdlPv", "_ZdlPvm",
      "_Znam", "_ZdaPv", "_ZdaPvm", "posix_memalign", "__assert_fail", "__stack_chk_fail",
      "getcontext", "makecontext", "swapcontext", "setcontext", "__gxx_personality_v0",
      // Weak ones that every module has.
      "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"};
  return k_names.count(unfortified(name)) != 0 ||
         starts_with_any(name, {"__asan_", "__ubsan_", "__sanitizer_", "__cxa_", "_Unwind_",
                                "_ZTVN10__cxxabiv", "__tls_get_addr"}) ||
         std::regex_match(name, std::regex("_ZSt[0-9]+__throw_\\w+"));
}

class Examination {
 public:
  Examination(const PreprocessedText& source, bool sanitized)
      : source_(source), sanitized_(sanitized) {}

  std::vector<BrokenRule> run(const ModuleSymbols& symbols) {
    const Names harmless = harmless_names(source_);
    for (const std::string& name : symbols.variables) {
      if (is_own_variable(name)) continue;
      const std::string variable = last_part_of_name(demangled(name));
      if (harmless.count(variable) == 0) add_state(variable);
    }
    for (const std::string& name : symbols.imports) {
      if (!is_arithmetic(name) && !is_plumbing(name)) add_import(name);
    }
    // The compiler's own; the one that tells the sanitizer about variables; the one for references
    // to shared memory: what else it could initialise is a variable, and refused above.
    const std::size_t own =
        1 + std::size_t{sanitized_} + std::size_t{symbols.initialises_variables};
    const std::size_t line = line_of_constructor();
    if (symbols.initialisers > own || line != 0) {
      rules_.push_back(
          {"a version has no host code: a function of it runs when the module is "
           "loaded; remove constructors",
           line});
    }
    return std::move(rules_);
  }

 private:
  void add_state(const std::string& variable) {
    rules_.push_back({state_message(variable), line_of(variable)});
  }

  void add_import(const std::string& name) {
    const std::string function = demangled(name);
    const std::string word = last_part_of_name(function.substr(0, function.find('(')));
    rules_.push_back(
        {fmt::format("`{}` is not defined in this file and is no arithmetic of CUDA; a version is "
                     "device code and calls nothing of the host",
                     function),
         line_of(word)});
  }

  // Compilers join constructors with what initialises variables, so that counting is not enough.
  [[nodiscard]] std::size_t line_of_constructor() const {
    const std::vector<PreprocessedToken>& tokens = source_.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is("constructor") && !tokens[i].is("__constructor__")) continue;
      for (std::size_t back = 1; back <= k_reach_of_attribute && back <= i; ++back) {
        const PreprocessedToken& before = tokens[i - back];
        if (before.is("__attribute__") || before.is("__attribute") || before.is("gnu")) {
          return tokens[i].line;
        }
      }
    }
    return 0;
  }

  [[nodiscard]] std::size_t line_of(const std::string& word) const {
    for (const PreprocessedToken& token : source_.tokens) {
      if (token.is(word)) return token.line;
    }
    return 0;
  }

  static constexpr std::size_t k_reach_of_attribute = 16;  // tokens

  const PreprocessedText& source_;
  bool sanitized_;
  std::vector<BrokenRule> rules_;
};

}  // namespace

std::vector<BrokenRule> broken_module_rules(std::string_view library,
                                            const PreprocessedText& source, bool sanitized) {
  return Examination(source, sanitized).run(read_module_symbols(library));
}

}  // namespace kernelloop
