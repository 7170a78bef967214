#include "support/hash.hpp"

#include <gtest/gtest.h>

namespace kernelloop {

// FIPS 180-4 example values.
TEST(Hash, Sha256KnownValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace kernelloop
