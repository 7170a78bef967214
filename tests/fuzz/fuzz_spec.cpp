// Op specs: right, or one line that says where they are wrong.
#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

#include "promise.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelloop;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const JsonDocument document = parse_json(text, "op.json");
    const OpSpec spec = parse_op_spec(document);
    split_spec(document);
    Bindings ones;
    for (const Axis& axis : spec.axes) ones[axis.name] = 1;
    try {
      admissible(spec, ones);
    } catch (const Error&) {
    }
  } catch (const Error& error) {
    promise(error.code() == ExitCode::bad_input, "a spec that is wrong is bad input");
    promise(error.what()[0] != '\0', "an error without a word");
  }
  return 0;
}
