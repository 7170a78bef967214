// Text as lines and as words in one case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// The lines without their ends; no line follows a last '\n'. Views into `text`.
std::vector<std::string_view> split_lines(std::string_view text);

// ASCII letters in lower case, everything else as it is.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

// The last line that says something, without the blanks at its end; empty when none does.
std::string_view last_line(std::string_view text);

}  // namespace kernelloop
