// Text as lines, words in one case, times in words.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// The lines without their ends; no line follows a last '\n'. Views into `text`.
std::vector<std::string_view> split_lines(std::string_view text);

// ASCII letters in lower case, everything else as it is.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

// "0.5 s", "120 s".
std::string seconds_text(std::chrono::milliseconds time);

// Without the blanks and ends of lines around it; a view into `text`.
std::string_view trimmed(std::string_view text);

// The last line that says something, without the blanks at its end; empty when none does.
std::string_view last_line(std::string_view text);

// At most `limit` bytes of `text`, cut between UTF-8 characters and then with " ..." behind them.
std::string shortened(std::string_view text, std::size_t limit);

// The same of a text that others wrote: with ? for characters that a terminal would obey, but for
// tabs and ends of lines.
std::string plain_text(std::string_view text, std::size_t limit);

// `text` as one word of a shell's command line: as it is, or in single quotes.
std::string shell_word(const std::string& text);

}  // namespace kernelloop
