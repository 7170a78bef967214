// What the model is asked: stable parts first, so that providers can cache them.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"
#include "propose/extract.hpp"
#include "propose/templates.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include "languages/language.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kernelloop {

// Raised when the meaning of the prompt changes, so that recordings can be told apart.
inline constexpr int k_prompt_schema = 2;

struct Prompt {
  std::string system;
  std::string user;
  std::string mode;                    // seed, fix, optimise, branch
  std::string parent;                  // "v003"; empty for a seed
  const Language* language = nullptr;  // that the version is to be in; never null
  // For origin.json: {tokens, limit, parts, left_out}, see docs/formats.md.
  Json record;
};

struct PromptOptions {
  std::int64_t most_tokens = 0;  // by estimate, system text included; 0: no limit
  bool tools = false;            // whether there is something to read with
};

// Reads the reference, the hints and the versions that the history points at. `history` and
// `feedback` are those of the round before; without a history it is a seed. Shapes of the ladder,
// the hold-out ones among them, never appear. Repairs and speed rounds ask differently; a speed
// round names the one bottleneck of the version that it starts from. docs/prompts.md says what is
// left out when the limit is reached. Throws Error.
Prompt compose_prompt(const OpConfig& config, const OpSpec& spec, int version,
                      const std::optional<History>& history, const std::string& feedback,
                      const Templates& templates, const PromptOptions& options = {});

// The follow-up turns of the inner loop.
std::string compile_feedback(const Json& problems, const Templates& templates,
                             const Language& language = cuda_language());
std::string duplicate_feedback(const std::string& twin, const Templates& templates,
                               const Language& language = cuda_language());
std::string answer_feedback(const Extraction& extraction, const Templates& templates,
                            const Language& language = cuda_language());

// The op in words: axes, tensors, precision, constraints, least cost, timed shapes.
std::string describe_op(const OpSpec& spec, const std::string& device);

}  // namespace kernelloop
