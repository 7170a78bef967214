// Whether an op is made of sums and products of its inputs, as its reference shows.
#pragma once

#include "verify/rung.hpp"

#include <cstdint>

namespace kernelloop {

// Whether the outputs follow each floating input, the others as they are, in a straight line: the
// reference is called with the spec's own values of that input times 0, 1 and 2. And all others
// together (scalars, too), that input as it is: of three factors, two may overflow before the third
// makes them small. Then no partial result is larger than what the terms make it, and values near
// the top of the range are fair. An op without floating inputs or outputs is not.
bool is_made_of_products_of_two(const RungContext& context, const Bindings& shape,
                                std::uint64_t seed);

}  // namespace kernelloop
