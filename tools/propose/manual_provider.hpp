// A person or an agent in the editor writes the next version; the build stops and says where.
#pragma once

#include "propose/provider.hpp"

#include "languages/language.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

class ManualProvider : public Provider {
 public:
  // `directory` is the journal's: prompt.md and feedback.md are put there, the source in `language`
  // (kernel.cu) or answer.md expected.
  // `last_round`: what became of it, in a sentence, for the message that asks for a new version;
  // empty in the first round.
  explicit ManualProvider(std::filesystem::path directory,
                          const Language& language = cuda_language(), std::string last_round = {});

  // Takes what was written since the last turn. Throws Error(waiting) with one message (which file
  // to write, what was seen last, how to go on) while there is nothing new, and Error(bad_input)
  // when both files are there.
  Reply ask(const AskRequest& request) override;

 private:
  std::filesystem::path directory_;
  const Language& language_;
  std::string last_round_;
};

// `source` as an answer's code block, with a fence that does not occur in it.
std::string fenced(const std::string& source, const Language& language = cuda_language());

}  // namespace kernelloop
