// From an answer to a source: whole, or a named problem with words for the model.
#include "propose/extract.hpp"

#include "promise.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelloop;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* stop : {"end", "tools", "length", "refusal"}) {
    const Extraction extraction = extract_source(text, stop);
    const bool good = extraction.problem == Extraction::Problem::none;
    promise(good == extraction.detail.empty(), "a problem without a word, or a word without one");
    promise(good != extraction.source.empty(), "a source beside a problem, or neither");
    if (good) {
      promise(extraction.source.find("kernelloop:plan") != std::string::npos, "no launch plan");
      promise(extraction.source.back() == '\n', "no last line feed");
    }
  }
  return 0;
}
