#include "cpu/module_rules.hpp"

#include "cpu/module_symbols.hpp"
#include "cpu/process_symbols.hpp"
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

// What the emulation layer, the compiler and the sanitizers keep. `spelled` are the words of the
// source: a variable that it names is its own, whatever it is called.
bool is_own_variable(const std::string& name, const Names& spelled) {
  static const Names k_coordinates{"threadIdx", "blockIdx", "blockDim", "gridDim"};
  if (k_coordinates.count(name) != 0) return true;  // set anew for every block and thread
  return spelled.count(name) == 0 &&
         starts_with_any(
             name, {"_ZN14kernelloop_cpu", "_ZZN14kernelloop_cpu", "_ZGVN14kernelloop_cpu",
                    "_ZGVZN14kernelloop_cpu", "kernelloop_cpu_", "_ZZ21kernelloop_cpu_module",
                    "_ZGVZ21kernelloop_cpu_module", "__odr_asan", "completed.", "__dso_handle",
                    "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "__TMC_END__", "__do_global_dtors_aux",
                    "__frame_dummy", "___asan_", "__asan_", "__unnamed_"});
}

// Functions of libm, for which kernels of CUDA have the same names.
bool is_arithmetic(const std::string& name) {
  static const std::regex k_math(
      "(a?(cos|sin|tan)h?|a?tan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|erfc?|"
      "[lt]gamma|j[01n]|y[01n]|f(abs|ma|max|min|mod|dim)|remainder|remquo|(nearby|l?l?r)int|"
      "l?l?round|trunc|floor|ceil|scalbl?n|ldexp|frexp|modf|ilogb|nextafter|nan|copysign)[fl]?"
      "(_r)?|__(isnan|isinf|finite|issignaling|fpclassify|signbit)[fl]?|__\\w+_finite|"
      "__[a-z]+[hsdtx]f[23]|__[a-z]+[sdt]i[234]|__fix(uns)?[hsdtx]f[sdt]i|"
      "__float(un)?[sdt]i[hsdtx]f|__atomic_\\w+|abs|labs|llabs");
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

// What kernels call by CUDA's own names or by none, as when a structure is copied.
bool is_plain_call(const std::string& name) {
  static const Names k_names{"clock",  "memset", "memcpy", "memmove",
                             "memcmp", "bcmp",   "strlen", "strcmp"};
  return k_names.count(unfortified(name)) != 0 ||
         std::regex_match(name, std::regex("_ZSt[0-9]+__throw_\\w+"));
}

// What the emulation layer, the compiler and the sanitizers call. None of it is for the version:
// what it spells out it has asked for itself.
bool is_plumbing(const std::string& name) {
  static const Names k_names{"abort",
                             "mmap",
                             "munmap",
                             "mprotect",
                             "snprintf",
                             "vsnprintf",
                             "__assert_fail",
                             "__stack_chk_fail",
                             "__tls_get_addr",
                             "getcontext",
                             "makecontext",
                             "swapcontext",
                             "setcontext",
                             "__gxx_personality_v0",
                             "__cxa_finalize",
                             "__cxa_pure_virtual",
                             "__cxa_throw_bad_array_new_length",
                             "__gmon_start__",
                             "_ITM_registerTMCloneTable",
                             "_ITM_deregisterTMCloneTable",
                             "_Unwind_Resume"};
  return k_names.count(unfortified(name)) != 0 ||
         starts_with_any(name, {"__asan_", "__ubsan_", "__sanitizer_", "_ZTVN10__cxxabiv1"});
}

// Clang links checks of its AddressSanitizer into each module, one per register and size.
bool is_of_sanitizer(const std::string& name, const Names& spelled) {
  return starts_with_any(name, {"__asan_check_load_add_", "__asan_check_store_add_"}) &&
         spelled.count(name) == 0;
}

class Examination {
 public:
  Examination(const PreprocessedText& source, bool sanitized)
      : source_(source), sanitized_(sanitized) {}

  std::vector<BrokenRule> run(const ModuleSymbols& symbols) {
    Names spelled;
    for (const PreprocessedToken& token : source_.tokens) {
      if (token.kind == PreprocessedToken::Kind::identifier) spelled.emplace(token.text);
    }
    for (const std::string& name : symbols.variables) {
      if (!is_own_variable(name, spelled)) add_state(last_part_of_name(demangled(name)));
    }
    for (const std::string& name : Names(symbols.definitions.begin(), symbols.definitions.end())) {
      const bool linked_in = sanitized_ && is_of_sanitizer(name, spelled);
      if (belongs_to_process(name) && !linked_in) add_usurper(name);
    }
    for (const std::string& name : symbols.imports) {
      const bool asked_for = spelled.count(name) != 0 || spelled.count(unfortified(name)) != 0;
      if (is_arithmetic(name) || is_plain_call(name) || (is_plumbing(name) && !asked_for)) continue;
      add_import(name);
    }
    // The compiler's own, and the one that tells the sanitizer about variables.
    const std::size_t own = 1 + std::size_t{sanitized_};
    if (symbols.initialisers > own || symbols.finalisers > own) {
      rules_.push_back(
          {"a version has no host code: a function of it runs when the module is loaded or "
           "unloaded; remove constructors, destructors, and variables whose first value is "
           "computed",
           0});
    }
    for (const std::string& place : symbols.odd_places) {
      rules_.push_back({fmt::format("the built version has {}, which plain device code never has; "
                                    "remove what asks for it",
                                    place),
                        0});
    }
    return std::move(rules_);
  }

 private:
  void add_state(const std::string& variable) {
    rules_.push_back({state_message(variable), line_of(variable)});
  }

  void add_usurper(const std::string& name) {
    const std::string function = demangled(name);
    const std::string shown = function.substr(0, function.find('('));
    rules_.push_back(
        {fmt::format("`{0}` is a name of the process that runs the version, which would call this "
                     "one in place of its own; give it another name, or make it a C++ function "
                     "in a namespace",
                     shown),
         line_of(shown.starts_with("operator") ? "operator" : last_part_of_name(shown))});
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

  [[nodiscard]] std::size_t line_of(const std::string& word) const {
    for (const PreprocessedToken& token : source_.tokens) {
      if (token.is(word)) return token.line;
    }
    return 0;
  }

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
