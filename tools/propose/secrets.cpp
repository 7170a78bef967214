#include "propose/secrets.hpp"

#include "support/error.hpp"
#include "support/secret_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

namespace kernelloop {
namespace {

constexpr std::size_t k_shortest_secret = 12;

bool is_secret_value(std::string_view value) {
  return value.size() >= k_shortest_secret && value.front() != '/' &&
         value.find_first_of(" \t\n") == std::string_view::npos;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view k_digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  unsigned int bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) {
      result += k_digits[(bits >> (count - 6)) & 63u];
    }
  }
  return result;  // the rest depends on what follows
}

// The base64 digits that stand for `value` alone when `skip` bytes of something precede it.
std::string base64_core(std::string_view value, std::size_t skip) {
  const std::string text = base64(std::string(skip, 'x') + std::string(value));
  return text.substr((skip * 8 + 5) / 6);
}

std::string url_encoded(std::string_view value) {
  std::string result;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-_.~").find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

bool holds(std::string_view text, const std::string& needle) {
  return needle.size() >= k_shortest_secret && text.find(needle) != std::string_view::npos;
}

bool holds_value(std::string_view text, const std::string& value) {
  if (text.find(value) != std::string_view::npos || holds(text, url_encoded(value))) return true;
  for (std::size_t skip = 0; skip < 3; ++skip) {
    std::string core = base64_core(value, skip);
    if (holds(text, core)) return true;
    std::replace(core.begin(), core.end(), '+', '-');  // the URL alphabet
    std::replace(core.begin(), core.end(), '/', '_');
    if (holds(text, core)) return true;
  }
  return false;
}

// What may stand before a mark.
enum class Before { anything, no_word, a_word };

struct Pattern {
  const char* name;
  std::string mark;       // cheap test first: regular expressions are slow
  std::regex expression;  // of what begins with the mark
  Before before = Before::no_word;
};

const std::vector<Pattern>& patterns() {
  const auto make = [](const char* text) {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  };
  // The marks are put together here so that no scanner takes this file for a leak.
  static const std::vector<Pattern> list{
      {"an API key (sk-...)", std::string("sk") + "-", make("sk-[A-Za-z0-9_-]{20,}")},
      {"a Google API key", std::string("AI") + "za", make("AIza[A-Za-z0-9_-]{30,}")},
      {"a GitHub token", std::string("gh"), make("gh[pousr]_[A-Za-z0-9]{30,}")},
      {"a GitHub token", std::string("github") + "_pat_", make("github_pat_[A-Za-z0-9_]{30,}")},
      {"an AWS access key", std::string("AK") + "IA", make("AKIA[A-Z0-9]{16}\\b")},
      {"a Slack token", std::string("xo") + "x", make("xox[abprs]-[A-Za-z0-9-]{10,}")},
      {"a signed web token", std::string("ey") + "J",
       make("eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{5,}")},
      {"a private key (PEM)", std::string("-----") + "BEGIN",
       make("-----BEGIN [A-Z ]*PRIVATE KEY-----"), Before::anything},
      {"a URL with a password", "://", make("://[^\\s/:@\"]+:[^\\s/:@\"]+@"), Before::a_word}};
  return list;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// std::regex recurses per character: only what follows a mark is shown to it.
bool matches(std::string_view text, const Pattern& pattern) {
  constexpr std::size_t k_after = 1024;
  for (std::size_t at = text.find(pattern.mark); at != std::string_view::npos;
       at = text.find(pattern.mark, at + 1)) {
    const bool behind_word = at > 0 && is_word(text[at - 1]);
    if (pattern.before != Before::anything && behind_word != (pattern.before == Before::a_word)) {
      continue;
    }
    const std::string_view part = text.substr(at, k_after);
    if (std::regex_search(part.data(), part.data() + part.size(), pattern.expression,
                          std::regex_constants::match_continuous)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<LiveSecret> live_secrets() {
  std::vector<LiveSecret> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = text.substr(equals + 1);
    if (is_secret_name(text.substr(0, equals)) && is_secret_value(value)) {
      result.push_back({std::string(text.substr(0, equals)), std::string(value)});
    }
  }
  return result;
}

void add_secret(std::vector<LiveSecret>& secrets, const std::string& name,
                const std::string& value) {
  if (is_secret_value(value)) secrets.push_back({name, value});
}

std::string find_secret(std::string_view text, const std::vector<LiveSecret>& live) {
  for (const LiveSecret& secret : live) {
    if (holds_value(text, secret.value)) return "the value of " + secret.name;
  }
  for (const Pattern& pattern : patterns()) {
    if (matches(text, pattern)) return pattern.name;
  }
  return {};
}

void refuse_secrets(std::string_view text, const std::vector<LiveSecret>& live,
                    const std::string& what) {
  const std::string found = find_secret(text, live);
  if (found.empty()) return;
  fail(ExitCode::provider,
       "{} would hold {}; take it out of the hints, the reference, the context or the answer and "
       "build again",
       what, found);
}

std::string without_value(std::string text, const std::string& value) {
  if (!is_secret_value(value)) return text;
  for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at)) {
    text.replace(at, value.size(), "[key]");
  }
  return text;
}

}  // namespace kernelloop
