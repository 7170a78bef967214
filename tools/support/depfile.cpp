#include "support/depfile.hpp"

#include "support/files.hpp"

#include <string>

namespace kernelloop {
namespace {

std::string escaped_for_make(const std::filesystem::path& path) {
  std::string result;
  for (const char c : path.string()) {
    if (c == ' ' || c == '#') result += '\\';
    if (c == '$') result += '$';
    result += c;
  }
  return result;
}

}  // namespace

void write_depfile(const std::filesystem::path& depfile, const std::filesystem::path& output,
                   const std::vector<std::filesystem::path>& inputs) {
  std::string rule = escaped_for_make(output) + ":";
  for (const std::filesystem::path& input : inputs) rule += " \\\n  " + escaped_for_make(input);
  write_file_if_changed(depfile, rule + "\n");
}

}  // namespace kernelloop
