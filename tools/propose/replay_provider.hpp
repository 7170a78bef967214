// Answers from recorded conversations, by position: version N's turn T is answered by turn T of
// <recordings>/<op>/vNNN/conversation.json.
#pragma once

#include "propose/provider.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

class ReplayProvider : public Provider {
 public:
  explicit ReplayProvider(std::filesystem::path recordings_dir);
  // Failure(exhausted) "recording ends here" when there is no such turn. Throws Error(bad_input)
  // for a broken recording. Usage is empty: nothing is spent.
  Reply ask(const AskRequest& request) override;

 private:
  std::filesystem::path recordings_dir_;
};

// Whether any version of the op is recorded.
bool has_recording(const std::filesystem::path& recordings_dir, const std::string& op);

}  // namespace kernelloop
