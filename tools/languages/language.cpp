#include "languages/language.hpp"

#include "support/embedded_texts.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kernelloop {

EmbeddedTexts built_in_adapters();  // adapters/*_adapter.py

namespace {

constexpr std::string_view k_quotes = "\"\"\"";

Language make_cuda() {
  Language cuda;
  cuda.name = "CUDA";
  cuda.title = "CUDA C++";
  cuda.source = "kernel.cu";
  cuda.fence = "cuda";
  return cuda;
}

// The first JSON object of a text, and where it ends.
std::size_t end_of_object(std::string_view text) {
  int open = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '{') {
      ++open;
    } else if (!quoted && c == '}' && --open == 0) {
      return at + 1;
    }
  }
  return 0;
}

// Python escapes quotes that would end the docstring.
std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    result += text[at];
  }
  return result;
}

// A path for all architectures, or paths by the first one that each is for.
std::map<int, std::string> assemblers_of(const Json& json) {
  if (json.is_string()) return {{0, json.get<std::string>()}};
  std::map<int, std::string> assemblers;
  for (const auto& [first, path] : json.items()) {
    assemblers[std::atoi(first.c_str())] = path.get<std::string>();
  }
  return assemblers;
}

// The first block of code of a Markdown text.
std::string first_block(std::string_view markdown, const std::string& fence) {
  const std::string opening = "```" + fence + "\n";
  const std::size_t begin = markdown.find(opening);
  const std::size_t end = markdown.find("\n```", begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return std::string(markdown.substr(begin + opening.size(), end + 1 - begin - opening.size()));
}

}  // namespace

Language language_of_adapter(std::string_view adapter) {
  const std::size_t begin = adapter.find(k_quotes);
  const std::size_t end = adapter.find("\n" + std::string(k_quotes), begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) {
    fail(ExitCode::internal, "an adapter has no docstring");
  }
  const std::string_view text =
      adapter.substr(begin + k_quotes.size(), end - begin - k_quotes.size());
  const std::size_t object = end_of_object(text);
  try {
    const Json json = Json::parse(text.substr(0, object));
    Language language;
    json.at("name").get_to(language.name);
    json.at("title").get_to(language.title);
    json.at("source").get_to(language.source);
    json.at("fence").get_to(language.fence);
    json.at("requirements").get_to(language.requirements);
    language.ptxas = assemblers_of(json.value("ptxas", Json::object()));
    language.context = json.value("context", std::vector<std::string>());
    const std::string guide = without_escapes(text.substr(object));
    language.guide = fmt::format("{}\n", trimmed(guide));
    language.example_op = json.at("example_op").dump();
    language.example = first_block(language.guide, language.fence);
    language.adapter = adapter;
    return language;
  } catch (const Json::exception& error) {
    fail(ExitCode::internal, "an adapter's docstring does not describe its language: {}",
         error.what());
  }
}

const std::vector<Language>& all_languages() {
  static const std::vector<Language> k_languages = [] {
    std::vector<Language> languages;
    for (const EmbeddedText& adapter : built_in_adapters()) {
      languages.push_back(language_of_adapter(adapter.text));
    }
    std::sort(languages.begin(), languages.end(),
              [](const Language& a, const Language& b) { return a.name < b.name; });
    languages.insert(languages.begin(), make_cuda());
    return languages;
  }();
  return k_languages;
}

const Language& cuda_language() { return all_languages().front(); }

const Language& language_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Language& language : all_languages()) {
    if (language.name == name) return language;
    names.push_back(language.name);
  }
  fail(ExitCode::bad_input, "there is no kernel language '{}'; {}", name, name_hint(name, names));
}

}  // namespace kernelloop
