#include "support/suggest.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TEST(Suggest, FindsTheMisspeltName) {
  const std::vector<std::string> names{"inputs", "outputs", "axes", "cost"};
  EXPECT_EQ(nearest_name("ouputs", names), "outputs");
  EXPECT_EQ(nearest_name("input", names), "inputs");
  EXPECT_EQ(nearest_name("Axes", names), "axes");
  EXPECT_EQ(nearest_name("csot", names), "cost");  // two neighbours swapped
  EXPECT_EQ(nearest_name("max-abs", {"max_abs"}), "max_abs");
  EXPECT_FALSE(nearest_name("weights", names));
  EXPECT_FALSE(nearest_name("x", {"y"}));
  EXPECT_FALSE(nearest_name("", names));
  EXPECT_FALSE(nearest_name(std::string(100000, 'a'), names));
}

TEST(Suggest, ListsWhatIsKnownWhenNothingIsClose) {
  EXPECT_EQ(name_hint("rowz", {"rows", "cols"}), "did you mean `rows`?");
  EXPECT_EQ(name_hint("depth", {"rows", "cols"}), "known are `rows`, `cols`");
  EXPECT_EQ(name_hint("depth", {}), "there are none");
  EXPECT_EQ(name_hint("zzz", std::vector<std::string>(20, "aaaa")).substr(0, 17),
            "known are `aaaa`,");
}

}  // namespace
}  // namespace kernelloop
