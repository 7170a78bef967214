// The compiler as the inner loop sees it.
#pragma once

#include "support/json.hpp"

#include "languages/language.hpp"

#include <filesystem>

namespace kernelloop {

struct CompileOutcome {
  bool compiled = false;
  Json problems = Json::array();  // as in compile.json
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // Throws Error(environment) when nothing in the language can be compiled here, Error(bad_input)
  // when its compiler refuses the op's options: called before anything is asked.
  virtual void require_ready(const Language& language) = 0;
  // `scratch` is a directory for the artefacts, which nobody needs afterwards. A bad source is a
  // value; throws Error for the machine's faults.
  virtual CompileOutcome compile(const std::filesystem::path& source,
                                 const std::filesystem::path& scratch) = 0;
};

}  // namespace kernelloop
