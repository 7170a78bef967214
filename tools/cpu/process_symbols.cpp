#include "cpu/process_symbols.hpp"

#include "cpu/module_symbols.hpp"
#include "support/files.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace kernelloop {
namespace {

using Names = std::set<std::string, std::less<>>;

// Sanitizers, unwinding, hooks of instrumentation, operator new and delete. The emulation's own
// names are refused in the source (source_rules.cpp).
constexpr std::array k_names_of_process = std::to_array<std::string_view>(
    {"__asan_", "__ubsan_", "__tsan_", "__lsan_", "__msan_", "__hwasan_", "__sanitizer_",
     "__interceptor_", "__cxa_", "__cxx", "__gxx_", "_Unwind_", "__cyg_", "__stack_chk_", "_ITM_",
     "_Znw", "_Zna", "_Zdl", "_Zda"});

// What `library` offers, of the one that this process has or would load.
void add_exports(const char* library, Names& names) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return;  // this system keeps its functions elsewhere
  struct link_map* entry = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &entry) == 0) {
    for (std::string& name : read_exports(read_file(entry->l_name))) {
      // Functions of C++ are compiled into modules from the library's headers.
      if (!name.starts_with("_Z")) names.insert(std::move(name));
    }
  }
  ::dlclose(handle);
}

const Names& names_of_libraries() {
  static const Names names = [] {
    Names result;
    for (const char* library :
         {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libstdc++.so.6"}) {
      add_exports(library, result);
    }
    return result;
  }();
  return names;
}

}  // namespace

bool belongs_to_process(const std::string& name) {
  return std::any_of(k_names_of_process.begin(), k_names_of_process.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         names_of_libraries().contains(name);
}

}  // namespace kernelloop
