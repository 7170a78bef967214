// Numbers as people and models are shown them: as exact as a measurement is, and no further, so
// that noise changes no text.
#pragma once

#include <string>

namespace kernelloop {

// The nearest multiple of a step: the least of 1, 2 or 5 times a power of ten that is at least
// `precision` of the value. With 0.01: 50.78 is "51", 18.37 "18.4", 3653.6 "3650". Zeros behind the
// point are left out. A value beside the edge of a step can still move by that step.
std::string rounded(double value, double precision = 0.01);

std::string four_digits(double value);

// Of what is near 1 how far it is from it ("1 - 3.2e-07"), of everything else what `otherwise`
// says.
std::string beside_one(double value, std::string (*otherwise)(double) = four_digits);

// A share of 1 in per cent, without the sign: whole per cents, below 10 of them as `rounded`.
std::string rounded_percent(double share);

// How far measurements spread (a share of 1), in words: "under 2 %", of 1, 2, 5, 10, 20 and 50.
std::string spread_in_words(double spread);

}  // namespace kernelloop
