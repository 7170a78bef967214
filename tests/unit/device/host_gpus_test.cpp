#include "device/host_gpus.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What a driver tells of four GPUs, one of another model.
class HostGpusTest : public testing::Test {
 protected:
  HostGpusTest() {
    add("0000:1b:00.0", "NVIDIA H200", "GPU-aaaa1111-0000");
    add("0000:43:00.0", "NVIDIA H200", "GPU-aaaa2222-0000");
    add("0000:52:00.0", "NVIDIA A100", "GPU-bbbb1111-0000");
    add("0000:61:00.0", "NVIDIA H200", "GPU-cccc1111-0000");
  }

  void add(const std::string& place, const std::string& model, const std::string& uuid) {
    write_file_atomic(files_.path() / "gpus" / place / "information",
                      "Model: \t\t " + model + "\nIRQ:   \t\t 33\nGPU UUID: \t " + uuid +
                          "\nBus Type: \t PCIe\nDevice Minor: \t 0\n");
  }

  [[nodiscard]] HostGpus gpus(const std::optional<std::string>& visible = {}) const {
    return host_gpus(files_.path(), visible);
  }

  TemporaryDirectory files_;
};

TEST_F(HostGpusTest, AllOfTheFirstOnesModelInTheOrderOfTheBus) {
  EXPECT_THAT(gpus().uuids,
              ElementsAre("GPU-aaaa1111-0000", "GPU-aaaa2222-0000", "GPU-cccc1111-0000"));
  EXPECT_FALSE(gpus().ask_driver);
}

TEST_F(HostGpusTest, UuidsThatTheUserLeftVisibleAlsoShortenedOnes) {
  EXPECT_THAT(gpus("GPU-cccc,GPU-aaaa2222-0000").uuids,
              ElementsAre("GPU-cccc1111-0000", "GPU-aaaa2222-0000"));
  EXPECT_THAT(gpus("GPU-cccc, GPU-bbbb").uuids, IsEmpty());  // of two models: the first alone
}

TEST_F(HostGpusTest, OneIsNoChoice) {
  for (const char* visible : {"GPU-aaaa2222-0000", "2", "", "-1", "MIG-1234"}) {
    EXPECT_THAT(gpus(visible).uuids, IsEmpty()) << visible;
    EXPECT_FALSE(gpus(visible).ask_driver) << visible;
  }
}

TEST_F(HostGpusTest, WhatNumbersMeanTheDriverKnows) {
  for (const char* visible : {"0,1", "GPU-aaaa2222,3", "MIG-12,MIG-34", "GPU-ffff,GPU-aaaa2222"}) {
    EXPECT_THAT(gpus(visible).uuids, IsEmpty()) << visible;
    EXPECT_TRUE(gpus(visible).ask_driver) << visible;
  }
}

TEST_F(HostGpusTest, WithoutAllUuidsThereIsNoChoice) {
  add("0000:71:00.0", "NVIDIA H200", "GPU-\?\?\?\?-\?\?");
  EXPECT_THAT(gpus().uuids, IsEmpty());
  EXPECT_THAT(host_gpus("/nowhere", {}).uuids, IsEmpty());
}

TEST(GpusInList, AreTheGpusOfTheFirstOnesModel) {
  EXPECT_THAT(gpus_in_list(R"({"devices": [
      {"kind": "cuda", "uuid": "GPU-2", "name": "NVIDIA H200"},
      {"kind": "cuda", "uuid": "GPU-1", "name": "NVIDIA H200"},
      {"kind": "cuda", "uuid": "GPU-3", "name": "NVIDIA A100"},
      {"kind": "cpu", "uuid": "", "name": "NVIDIA H200"}]})"),
              ElementsAre("GPU-2", "GPU-1"));
  EXPECT_THAT(gpus_in_list("no JSON"), IsEmpty());
  EXPECT_THAT(gpus_in_list("{}"), IsEmpty());
}

TEST(NamesIn, AListAreWhatStandsBetweenItsCommas) {
  EXPECT_THAT(names_in("slot-1, slot-2,,\tslot 3 ,"), ElementsAre("slot-1", "slot-2", "slot 3"));
  EXPECT_THAT(names_in(""), IsEmpty());
}

}  // namespace
}  // namespace kernelloop
