// A softmax with three versions: v001 compiled and wrong, v002 and v003 timed by this build.
#pragma once

#include "report/gather.hpp"

#include "../product/project_fixture.hpp"

#include <string>

namespace kernelloop {

class ReportTest : public ProjectTest {
 protected:
  void add_three_versions() {
    write(config_.spec, to_text({{"name", "softmax"}, {"description", "Rows that sum to 1"}}));
    add_version(1, 90);
    change(1, "verify", "/status", "failed");
    change(1, "verify", "/reason", "rung smoke: wrong");
    change(1, "verify", "/rungs/0/status", "failed");
    config_.path = root() / "config.json";
    write(config_.path, "{}");
    add_version(2, 80);
    add_version(3, 40);
    for (int v = 1; v <= 3; ++v) {
      put(v, "proposed", {{"status", "ready"}});
      origin(v, v == 1 ? "" : version_name(v - 1));
    }
    change(3, "bench", "/workloads/0/bytes", 8e7);
    change(3, "bench", "/workloads/0/flops", {{"fp32", 1e8}, {"sfu", 2e7}});
    change(3, "bench", "/workloads/0/bound", "memory");
    change(3, "bench", "/ceilings",
           {{"roofs", {{"copy", 4e12}, {"fp32", 6e13}, {"launch", 3e-6}}}});
  }
  void origin(int version, const std::string& parent, const std::string& summary = "less waiting") {
    write(config_.version_dir(version) / "origin.json",
          to_text({{"mode", parent.empty() ? "seed" : "optimise"},
                   {"parent", parent},
                   {"provider", "anthropic"},
                   {"model", "a-model"},
                   {"summary", summary},
                   {"tokens", {{"input", 1000 * version}, {"output", 100}}},
                   {"cost_usd", 0.25}}));
  }
  Report only_report() const {
    const GatheredReports gathered = gather_reports(config_);
    EXPECT_EQ(gathered.by_device.size(), 1u);
    return gathered.by_device.begin()->second;
  }
};

}  // namespace kernelloop
