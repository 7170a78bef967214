#include "support/secret_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace kernelloop {

bool is_secret_name(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::array<std::string_view, 8> k_marks{"KEY",    "TOKEN", "SECRET",     "PASSWORD",
                                                    "PASSWD", "AUTH",  "CREDENTIAL", "COOKIE"};
  return std::any_of(k_marks.begin(), k_marks.end(),
                     [&](std::string_view mark) { return upper.find(mark) != std::string::npos; });
}

void forget_secrets() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    char* equals = std::strchr(*entry, '=');
    if (equals == nullptr) continue;
    const std::string name(*entry, equals);
    if (!is_secret_name(name)) continue;
    names.push_back(name);
    ::explicit_bzero(equals + 1, std::strlen(equals + 1));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

}  // namespace kernelloop
