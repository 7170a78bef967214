// What each family of input values draws at one index: a pure function of the tensor, the seed and
// the index. family_table.cpp says when each is tried and what for.
#pragma once

#include "verify/families.hpp"

#include <cstdint>

namespace kernelloop::family_draws {

inline constexpr double k_shift = 64.0;  // deviations from zero to the mean of `shifted`
// The same for its other rows: more in types of 16 bits.
double farthest_shift(DType type);

double tiny(const FamilyDraw& tensor, std::int64_t index);
double faint(const FamilyDraw& tensor, std::int64_t index);
double large(const FamilyDraw& tensor, std::int64_t index);
double shifted(const FamilyDraw& tensor, std::int64_t index);
double outliers(const FamilyDraw& tensor, std::int64_t index);
double constant(const FamilyDraw& tensor, std::int64_t index);
double one_hot(const FamilyDraw& tensor, std::int64_t index);
double needle(const FamilyDraw& tensor, std::int64_t index);
double leads(const FamilyDraw& tensor, std::int64_t index);
double scales(const FamilyDraw& tensor, std::int64_t index);
double magnitudes(const FamilyDraw& tensor, std::int64_t index);
double strided(const FamilyDraw& tensor, std::int64_t index);
double cancelling(const FamilyDraw& tensor, std::int64_t index);
double exponents(const FamilyDraw& tensor, std::int64_t index);
double ties(const FamilyDraw& tensor, std::int64_t index);
double sorted(const FamilyDraw& tensor, std::int64_t index);
double edge(const FamilyDraw& tensor, std::int64_t index);
double denormal(const FamilyDraw& tensor, std::int64_t index);
double infinite(const FamilyDraw& tensor, std::int64_t index);
double few_nan(const FamilyDraw& tensor, std::int64_t index);
double near_limit(const FamilyDraw& tensor, std::int64_t index);
double lowest(const FamilyDraw& tensor, std::int64_t index);
double highest(const FamilyDraw& tensor, std::int64_t index);
double ends(const FamilyDraw& tensor, std::int64_t index);
double integers(const FamilyDraw& tensor, std::int64_t index);

}  // namespace kernelloop::family_draws
