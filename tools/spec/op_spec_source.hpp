// The JSON text behind a spec, as its reader and its rules look at it: pointers and messages.
// Private to the op_spec*.cpp files.
#pragma once

#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// A JSON pointer under construction: place("workloads")[0]["axes"].
class Place {
 public:
  Place() = default;
  [[nodiscard]] Place operator[](std::string_view member) const;
  [[nodiscard]] Place operator[](std::size_t index) const;
  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }

 private:
  std::string pointer_;
};

class SpecSource {
 public:
  explicit SpecSource(const JsonDocument& document) : document_(document) {}

  // Throws Error(bad_input) "file:line:column: message".
  [[noreturn]] void wrong(const Place& place, const std::string& message) const;
  [[nodiscard]] const Json& value() const noexcept { return document_.value; }

 private:
  const JsonDocument& document_;
};

// JSON -> OpSpec, with all that can be said about one member by itself. The document is valid
// against the schema.
OpSpec read_op_spec(const SpecSource& source);

// An expression over `axis_names`, which stands at `place`.
Expression read_expression(const SpecSource& source, const Json& json, const Place& place,
                           const std::vector<std::string>& axis_names);

// How the elements of `input` are drawn: its member `values`, or what its dtype has by default.
InputValues read_input_values(const SpecSource& source, const Tensor& input, const Json& json,
                              const std::vector<std::string>& axis_names);

// Why `dtype` cannot hold `value`, with the remedy; empty when it can.
std::string fit_fault(DType dtype, double value);

// What holds between members: workloads against axes and constraints, hold-out against the rest.
// `complete`: this is a whole op spec, not one part of it.
void check_op_spec(const SpecSource& source, const OpSpec& spec, bool complete);

// What a shape needs beyond its axes and constraints before anybody allocates it: sizes, values
// that can be drawn, a count of terms.
struct ShapeFault {
  Place place;             // of the member that goes wrong at this shape
  std::string what;        // with its value
  std::string constraint;  // leaves such shapes out; empty where none can be named
};
std::optional<ShapeFault> shape_fault(const OpSpec& spec, const Bindings& axes);

}  // namespace kernelloop
