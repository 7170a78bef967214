#include "propose/prompt_fit.hpp"

#include "propose/meter.hpp"
#include "support/error.hpp"

namespace kernelloop {
namespace {

std::string note_on(const std::vector<std::string>& left_out, std::int64_t limit) {
  if (left_out.empty()) return {};
  return fmt::format("\nLeft out here, to keep within {} tokens: {}.\n", limit,
                     fmt::join(left_out, "; "));
}

}  // namespace

FittedPrompt fit_prompt(const Templates& templates, const std::string& system,
                        std::map<std::string, std::string> parts, const std::vector<Cut>& cuts,
                        std::int64_t limit) {
  FittedPrompt fitted;
  const auto fill = [&] {
    parts["left_out"] = note_on(fitted.left_out, limit);
    fitted.text = templates.fill("task", parts);
    fitted.tokens = estimated_tokens(system.size() + fitted.text.size());
  };
  fill();
  if (limit == 0) return fitted;
  for (const Cut& cut : cuts) {
    if (fitted.tokens <= limit) return fitted;
    if (parts[cut.part].size() <= cut.text.size()) continue;
    parts[cut.part] = cut.text;
    fitted.left_out.push_back(cut.what);
    fill();
  }
  if (fitted.tokens > limit) {
    fail(ExitCode::bad_input,
         "max_prompt_tokens is {}, but the prompt takes {} by estimate without all that can be "
         "left out; raise the limit, or shorten hints, notes and templates",
         limit, fitted.tokens);
  }
  return fitted;
}

}  // namespace kernelloop
