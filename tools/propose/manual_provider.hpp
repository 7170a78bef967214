// A person or an agent in the editor writes the next version; the build stops and says where.
#pragma once

#include "propose/provider.hpp"

#include <filesystem>

namespace kernelloop {

class ManualProvider : public Provider {
 public:
  // `directory` is the journal's: prompt.md and feedback.md are put there, kernel.cu or answer.md
  // expected.
  explicit ManualProvider(std::filesystem::path directory);

  // Takes what was written since the last turn. Throws Error(waiting) with one message (which file
  // to write, what was seen last, how to go on) while there is nothing new, and Error(bad_input)
  // when both files are there.
  Reply ask(const AskRequest& request) override;

 private:
  std::filesystem::path directory_;
};

// `source` as an answer's code block, with a fence that does not occur in it.
std::string fenced(const std::string& source);

}  // namespace kernelloop
