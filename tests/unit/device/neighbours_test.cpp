#include "device/neighbours.hpp"

#include <gmock/gmock.h>

#include <string>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A GPU on which others are found at the looks that `seen` names, from 0.
class NeighboursTest : public ::testing::Test {
 protected:
  // One set of two samples of each variant; their time tells which set it is.
  TimeResult time(std::size_t variants = 1) {
    return neighbours_.time([this, variants] {
      ++sets_;
      order_ += 't';
      TimeResult result = next_;
      result.samples.assign(variants, {{100.0 * sets_}, {100.0 * sets_}});
      return result;
    });
  }

  // A value that tells which measurement it is.
  RoofValue measure() {
    return neighbours_.measure([this] {
      order_ += 't';
      return RoofValue{100.0 * ++sets_, 1980, false};
    });
  }

  static std::vector<bool> foreign(const TimeResult& result) {
    std::vector<bool> flags;
    for (const TimeSample& sample : result.samples.back()) flags.push_back(sample.foreign);
    return flags;
  }

  std::vector<int> seen_;
  int looks_ = 0;
  int sets_ = 0;
  std::string order_;
  TimeResult next_;
  Neighbours neighbours_{[this] {
    order_ += 'l';
    const bool there = std::find(seen_.begin(), seen_.end(), looks_++) != seen_.end();
    return there ? std::vector<unsigned>{4711} : std::vector<unsigned>();
  }};
};

TEST_F(NeighboursTest, LooksBeforeAndAfterASetAndNeverMeanwhile) {
  EXPECT_THAT(foreign(time()), ElementsAre(false, false));
  EXPECT_EQ(order_, "ltl");
}

TEST_F(NeighboursTest, WhoComesDuringASetIsNoticedAndASecondIsTaken) {
  seen_ = {1};
  next_.rechecks.count = 3;
  next_.throttling = {"power cap"};
  const TimeResult result = time();
  EXPECT_THAT(foreign(result), ElementsAre(true, true, false, false));
  EXPECT_EQ(result.samples[0][0].us, 100);
  EXPECT_EQ(result.samples[0][3].us, 200);
  EXPECT_EQ(result.rechecks.count, 6);
  EXPECT_THAT(result.throttling, ElementsAre("power cap"));
}

TEST_F(NeighboursTest, WhoGoesDuringASetIsNoticedToo) {
  seen_ = {0};
  EXPECT_THAT(foreign(time()), ElementsAre(true, true, false, false));
}

TEST_F(NeighboursTest, WhoStaysIsNotWaitedForAgain) {
  seen_ = {0, 1, 2};  // a set that had company at its start needs no second look
  EXPECT_THAT(foreign(time()), ElementsAre(true, true, true, true));
  EXPECT_EQ(sets_, 2);
  EXPECT_THAT(foreign(time()), ElementsAre(true, true));
  EXPECT_EQ(sets_, 3);
  EXPECT_THAT(foreign(time()), ElementsAre(false, false));
}

TEST_F(NeighboursTest, OfPairsTheSecondSetAloneCounts) {
  seen_ = {0};
  const TimeResult result = time(3);
  ASSERT_EQ(result.samples.size(), 3u);
  EXPECT_THAT(foreign(result), ElementsAre(false, false));
}

TEST_F(NeighboursTest, ASecondSetHidesNothingThatIsWrongInTheFirst) {
  seen_ = {0};
  next_.unlike = {1};
  EXPECT_THAT(time().unlike, ElementsAre(1));
  EXPECT_EQ(sets_, 1);
  looks_ = 0;
  next_ = {};
  next_.rechecks = {4, 2};
  EXPECT_EQ(time().rechecks.differing, 2);
  EXPECT_EQ(sets_, 2);
  looks_ = 0;
  next_ = {};
  next_.fault = {FaultKind::timeout, "no end"};
  EXPECT_EQ(time().fault.kind, FaultKind::timeout);
  EXPECT_EQ(sets_, 3);
}

TEST_F(NeighboursTest, AValueIsMeasuredOnceMoreWhenSomebodyWasThere) {
  EXPECT_EQ(measure().value, 100);
  EXPECT_EQ(order_, "ltl");
  for (const int look : {2, 3}) {  // before, and after
    looks_ = 2;
    sets_ = 0;
    seen_ = {look};
    const RoofValue value = measure();
    EXPECT_EQ(value.value, 200) << look;
    EXPECT_FALSE(value.foreign) << look;
  }
}

TEST_F(NeighboursTest, AValueIsMarkedWhenSomebodyStays) {
  seen_ = {0, 1, 2};  // company at the start needs no second look
  EXPECT_TRUE(measure().foreign);
  EXPECT_EQ(sets_, 2);
  EXPECT_TRUE(measure().foreign);
  EXPECT_EQ(sets_, 3);
  EXPECT_FALSE(measure().foreign);
  EXPECT_THAT(foreign(time()), ElementsAre(false, false));
}

}  // namespace
}  // namespace kernelloop
