// The texts that prompts are made of: prompts/*.md, built in, overridable by a directory.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace kernelloop {

class Templates {
 public:
  // Files of `directory` go before the built-in ones; empty: only those. Throws Error(bad_input)
  // when the directory is given and missing, and for a file in it whose name is none of a template.
  explicit Templates(std::filesystem::path directory = {});

  // Template `name` ("system") with each {{placeholder}} replaced. Values are put in as they are:
  // braces in them stay. Throws Error(bad_input) for a placeholder without a value, naming the
  // template and the known ones.
  [[nodiscard]] std::string fill(const std::string& name,
                                 const std::map<std::string, std::string>& values = {}) const;

  // Whether there is a template of this name.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace kernelloop
