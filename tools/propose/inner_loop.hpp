// The tight loop within one version: ask, extract, compile, feed the errors back.
//
// A version is an append-only fact, a failed one too. When the turns are used up the last source
// that was extracted becomes the version. When there never was one, the version is a file that says
// so and does not compile (#error): the loop sees a failed version like any other, and the answers
// stand in conversation.json.
#pragma once

#include "propose/compiler.hpp"
#include "propose/journal.hpp"
#include "propose/prompt.hpp"
#include "propose/provider.hpp"
#include "propose/reading_tool.hpp"
#include "propose/templates.hpp"

#include "languages/language.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

struct TurnRecord {
  AskRequest request;
  Answer answer;
  // compiled, compile_failed, duplicate, tools (it asked to read), or the name of an extraction
  // problem
  std::string status;
  Json problems = Json::array();
};

struct Proposal {
  const Language* language = &cuda_language();  // never null
  std::string source;
  std::string summary;
  std::string note;  // why it is published without having compiled; empty otherwise
  std::string provider;
  std::string model;
  std::string mode;
  std::string parent;
  std::string duplicate_of;  // the earlier version that the source is once more; "" for none
  Json prompt;               // Prompt::record of the first question
  std::vector<TurnRecord> turns;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  int requests = 0;  // that went out
  // Why there is nothing to publish and the loop stops: the recording has no such version, or the
  // budget is spent. Empty otherwise.
  std::string stopped;
};

struct InnerLoop {
  const Journal* journal = nullptr;
  Provider* provider = nullptr;
  Compiler* compiler = nullptr;
  const Templates* templates = nullptr;
  const Language* language = &cuda_language();  // of the version; never null
  std::string provider_name;
  std::string model;
  std::int64_t max_output_tokens = 32000;
  Account account;
  std::string op;
  int version = 0;
  int turn_limit = 4;              // without those that only read; 0: as many as the provider wants
  const ToolBox* tools = nullptr;  // none: nothing to read with
  // The earlier version that a source is once more, "" for none. The model is told once and asked
  // for something different; when it sends a known version again, that is what is published.
  std::function<std::string(const std::string& source)> twin_of;
  // Called before a request goes out and with each answer; throws when it holds a secret.
  std::function<void(const std::string& text)> check_text;
};

// Goes on where the journal stands: answered turns are not asked again. `prompt` is used unless the
// journal holds the first request with an answer on its way. Throws Error(provider) when there is
// no answer to be had.
Proposal run_inner_loop(const InnerLoop& loop, const Prompt& prompt);

}  // namespace kernelloop
