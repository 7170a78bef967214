// What the choice of shapes is made of: which axes there are, how large a shape is, how to move an
// axis without breaking a constraint, and a list without duplicates.
#pragma once

#include "spec/op_spec.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace kernelloop {

// Contiguous in a tensor of two dimensions or more; one element for each row makes no inner axis of
// the rows. Where an axis stands in vectors only, it is the inner one.
bool is_inner(const OpSpec& spec, const std::string& axis);

// Of all tensors together.
std::int64_t elements_of(const OpSpec& spec, const Bindings& variables);

// Moves one axis to the admissible value closest to `target`, the others staying as they are.
// Whether there is one.
bool move_axis(const OpSpec& spec, Bindings& shape, const std::string& axis, std::int64_t target);

// An admissible shape with every axis near `target`, starting from one that is admissible.
Bindings near(const OpSpec& spec, const Bindings& start, std::int64_t target);

// Some admissible shape. Throws Error(bad_input) when none is found.
Bindings start_shape(const OpSpec& spec);

// Admissible shapes of no more than so many elements, each once.
class ShapeList {
 public:
  // `spec` must outlive it.
  ShapeList(const OpSpec& spec, std::int64_t most_elements)
      : spec_(spec), most_elements_(most_elements) {}

  // Whether the shape is in the list now.
  bool add(const Bindings& shape);
  // However large it is.
  void add_anyway(const Bindings& shape);
  [[nodiscard]] bool empty() const { return shapes_.empty(); }
  [[nodiscard]] std::vector<Bindings> by_size() &&;

 private:
  // Counting the elements of a shape evaluates the spec's expressions: once for each.
  struct Sized {
    std::int64_t elements;
    Bindings shape;
  };

  const OpSpec& spec_;
  std::int64_t most_elements_;
  std::set<Bindings> seen_;
  std::vector<Sized> shapes_;
};

}  // namespace kernelloop
