// Which macros may stand before an #include: those that put no code of the version's into a header.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kernelloop {

// Looks at the definitions of a source in their order.
class HarmlessMacros {
 public:
  // Whether the macro of `#define <definition>` is nothing, a number, or, where its name is of
  // capital letters as those of constants are, arithmetic: operators, numbers, its own parameters,
  // types, and such macros defined before.
  [[nodiscard]] bool admit(std::string_view definition);

 private:
  std::set<std::string, std::less<>> known_;
};

}  // namespace kernelloop
