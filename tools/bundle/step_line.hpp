// The command line of a device step, and what each of its options stands for: what a bundle has to
// carry is what the step itself is told to read.
#pragma once

#include <string>
#include <vector>

namespace kernelloop {

struct StepLine {
  std::string step;                    // "verify": a subcommand of kernelloop-device
  std::vector<std::string> arguments;  // as they follow it
};

// One argument, or an option with its value.
struct StepWord {
  enum class Kind {
    plain,     // stays as it is
    file,      // a file to read
    compiled,  // a compile.json: read with the artefacts that it names
    output,    // a file to write; others are written beside it
    cache,     // a directory that keeps what was measured of a device, of no use elsewhere
  };
  Kind kind = Kind::plain;
  std::string option;  // "--contract"; the whole argument where kind is plain
  std::string value;   // "" where kind is plain
};

// The words of a line, "--name value" and "--name=value" alike. Throws Error(usage) for a step that
// takes no bundle and for an option without its value.
std::vector<StepWord> words_of(const StepLine& line);

// The value of an option; "" where the line has none.
std::string value_of(const std::vector<StepWord>& words, StepWord::Kind kind);

}  // namespace kernelloop
