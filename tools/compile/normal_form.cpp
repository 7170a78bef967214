#include "compile/normal_form.hpp"

#include "compile/source_text.hpp"
#include "compile/text.hpp"
#include "plan/plan_comment.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"

#include "languages/language.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::string_view k_gaps = " \t\r\v\f";  // white space but for line ends

// Never part of a longer token, so that white space beside them means nothing.
bool stands_alone(char c) { return std::string_view("(){}[];,?~").find(c) != std::string::npos; }

class Condenser {
 public:
  explicit Condenser(const SourceText& source)
      : text_(source.uncommented()), literals_(source.literals()) {}

  std::string run() {
    while (at_ < text_.size()) step();
    if (directive_) result_ += '\n';
    return std::move(result_);
  }

  // Whether a macro makes text of its arguments, in which white space is seen.
  [[nodiscard]] bool makes_text() const noexcept { return makes_text_; }

 private:
  void step() {
    const char c = text_[at_];
    if (next_literal_ < literals_.size() && literals_[next_literal_].first == at_) {
      const SourceText::Range range = literals_[next_literal_++];
      put(std::string_view(text_).substr(at_, range.last - range.first));
      at_ = range.last;
    } else if (const std::size_t splice = splice_length(); splice > 0) {
      at_ += splice;
    } else if (c == '\n') {
      end_line();
    } else if (k_gaps.find(c) != std::string_view::npos) {
      gap_ = true;
      ++at_;
    } else {
      const std::size_t length = hash_length();
      if (length > 0 && line_is_empty_)
        begin_directive();
      else if (length == 1 && directive_)
        makes_text_ = true;
      put(std::string_view(text_).substr(at_, std::max<std::size_t>(length, 1)));
      at_ += std::max<std::size_t>(length, 1);
    }
  }

  // Of `#`, `##` and the digraph `%:` here; 0 when there is none.
  [[nodiscard]] std::size_t hash_length() const {
    const std::string_view rest = std::string_view(text_).substr(at_, 2);
    if (rest == "##" || rest == "%:") return 2;
    return rest.substr(0, 1) == "#" ? 1 : 0;
  }

  [[nodiscard]] std::size_t splice_length() const {
    const std::string_view rest = std::string_view(text_).substr(at_, 3);
    if (rest.substr(0, 2) == "\\\n") return 2;
    return rest == "\\\r\n" ? 3 : 0;
  }

  void end_line() {
    if (directive_) result_ += '\n';
    gap_ = !directive_;
    directive_ = false;
    line_is_empty_ = true;
    ++at_;
  }

  void begin_directive() {
    if (!result_.empty() && result_.back() != '\n') result_ += '\n';
    gap_ = false;
    directive_ = true;
  }

  void put(std::string_view token) {
    if (gap_ && separates(token.front())) result_ += ' ';
    gap_ = false;
    line_is_empty_ = false;
    result_ += token;
  }

  // Whether the white space before `next` keeps two tokens apart. In a directive all of it may
  // count: `#define f (x)` is not `#define f(x)`.
  [[nodiscard]] bool separates(char next) const {
    if (result_.empty() || result_.back() == '\n') return false;
    if (directive_) return true;
    const char last = result_.back();
    if (stands_alone(last) || stands_alone(next)) return false;
    const auto joins_words = [](char c) { return is_word(c) || c == '"' || c == '\'' || c == '.'; };
    return joins_words(last) == joins_words(next);
  }

  const std::string& text_;
  const std::vector<SourceText::Range>& literals_;
  std::string result_;
  std::size_t at_ = 0;
  std::size_t next_literal_ = 0;
  bool gap_ = false;  // white space since the last token
  bool directive_ = false;
  bool makes_text_ = false;
  bool line_is_empty_ = true;
};

std::string plan_of(const std::string& source) {
  const PlanComment comment = find_plan_comment(source);
  if (!comment.problems.empty()) return source;
  const Json plan = Json::parse(comment.json, nullptr, false);
  return plan.is_discarded() ? comment.json : plan.dump();
}

}  // namespace

std::string normal_form(const std::string& source) {
  const SourceText text(source);
  Condenser condenser(text);
  std::string code = condenser.run();
  if (condenser.makes_text() || text.find_word("__LINE__")) return source;
  return plan_of(source) + "\n" + code;
}

std::string normal_hash(const std::string& source, const Language& language) {
  return sha256(language.is_cuda() ? normal_form(source) : source);
}

}  // namespace kernelloop
