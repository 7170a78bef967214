// A file in pieces that are found and shown one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct Chunk {
  int first_line = 1;  // counted from 1, both inclusive
  int last_line = 1;
  std::string heading;    // where it stands: the headings of a page, the definition of a source
  std::string_view text;  // of the file's text
};

// Every line is in exactly one chunk. Markdown is cut at its headings, everything else where a
// definition or a paragraph seems to end; no chunk is much longer than 80 lines or 8 KiB. `name`
// tells pages from sources by its ending (.md, .rst, .txt).
std::vector<Chunk> chunks_of(std::string_view text, std::string_view name);

}  // namespace kernelloop
