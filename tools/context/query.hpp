// From the words somebody types to what the index is asked.
//
// A word is letters, digits and underscores; what stands between spaces or in double quotes and has
// several of them ("cute::make_layout", "mbarrier.try_wait") means them in that order, side by
// side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct ContextQuery {
  std::vector<std::vector<std::string>> terms;  // each a phrase of one or more words, lower case

  [[nodiscard]] bool empty() const noexcept { return terms.empty(); }
  // FTS5 expressions: all terms, any term, and any word that begins like one of the terms'.
  [[nodiscard]] std::string all() const;
  [[nodiscard]] std::string any() const;
  [[nodiscard]] std::string beginnings() const;
};

// One term as an FTS5 expression.
std::string term_expression(const std::vector<std::string>& term);

// Words that say nothing ("the", "how") are left out where others remain; so are terms beyond the
// sixteenth.
ContextQuery parse_query(std::string_view text);

// The window of at most `most` lines of `lines` in which most terms occur: index of its first line.
std::size_t best_window(const std::vector<std::string_view>& lines, std::size_t most,
                        const ContextQuery& query);

}  // namespace kernelloop
