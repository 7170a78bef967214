// An operator's tree as the steps leave it: versions, compile.json, verify.json, bench.json.
#pragma once

#include "config/op_config.hpp"
#include "product/adopt.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/version.hpp"
#include "verify/rules.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {

class ProjectTest : public testing::Test {
 protected:
  ProjectTest() {
    config_.op = "softmax";
    config_.build_dir = root() / "build/softmax";
    config_.generated_dir = root() / "generated";
    config_.reports_dir = root() / "reports";
    config_.spec = root() / "op.json";
    config_.versions = 9;
    config_.architectures = {"90a"};
    config_.device = "cuda";
  }

  std::filesystem::path root() const { return directory_.path(); }
  std::filesystem::path adopted_file() const { return config_.adopted_file(); }
  std::filesystem::path source(int number) const {
    return config_.version_dir(number) / "kernel.cu";
  }

  void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    write_file_atomic(path, text);
  }

  // A version that compiled, passed and took `time_us` on the config's device.
  void add_version(int number, double time_us, const std::string& device_name = "NVIDIA H200") {
    const std::string text = "// kernel " + std::to_string(number) + "\n";
    write(source(number), text);
    const Json device = {
        {"kind", config_.device}, {"name", device_name}, {"uuid", "GPU-secret"}, {"driver", "580"}};
    const std::string sha = sha256(text);
    put(number, "compile",
        {{"status", "compiled"},
         {"source_sha256", sha},
         {"source", source(number).string()},
         {"kernels", {{{"name", "k"}, {"registers", 40}, {"spill_store_bytes", 0}}}},
         {"artifacts", {{"cuda", {{"status", "built"}, {"architecture", "90a"}}}}},
         {"toolchain", {{"nvcc", "/opt/somewhere/bin/nvcc"}}}});
    put(number, "verify",
        {{"status", "passed"},
         {"reason", ""},
         {"summary", ""},
         {"rules", k_verification_rules},
         {"source_sha256", sha},
         {"device", device},
         {"rungs", {{{"name", "smoke"}, {"status", "passed"}, {"cases", {1, 2}}}}}});
    const Json sol = config_.device == "cpu" ? Json(nullptr) : Json(0.5);
    put(number, "bench",
        {{"status", "measured"},
         {"reason", ""},
         {"rules", 1},
         {"device", device},
         {"mode", config_.device == "cpu" ? "wall" : "cold"},
         {"clocks", "as found"},
         {"ceilings", Json::object()},
         {"workloads",
          {{{"name", "w"},
            {"median_us", time_us},
            {"p25_us", time_us},
            {"p75_us", time_us},
            {"spread", 0.01},
            {"samples", 20},
            {"bytes_per_second", 2e12},
            {"sol", sol}}}},
         {"summary", {{"time_us", time_us}, {"sol", sol}}}});
  }

  void put(int number, const std::string& step, Json json) {
    json["op"] = config_.op;
    json["version"] = version_name(number);
    write(config_.step_dir(number) / (step + ".json"), to_text(json));
  }
  void change(int number, const std::string& step, const std::string& pointer, Json value) {
    Json json = read_json(config_.step_dir(number) / (step + ".json")).value;
    json[Json::json_pointer(pointer)] = std::move(value);
    write(config_.step_dir(number) / (step + ".json"), to_text(json));
  }

  // Adopts; rematches end in `verdict_`, a second one in `second_verdict_`, and are counted.
  AdoptResult adopt_now(AdoptRequest request = {}) {
    return adopt(config_, request,
                 [this](const std::string& incumbent, const std::string& challenger) {
                   rematches_.emplace_back(incumbent, challenger);
                   return Json{{"status", "compared"},
                               {"op", "softmax"},
                               {"incumbent", incumbent},
                               {"challenger", challenger},
                               {"verdict", rematches_.size() % 2 == 1 ? verdict_ : second_verdict_},
                               {"ratio", 0.9},
                               {"interval", {0.89, 0.91}},
                               {"noise_floor", 0.005},
                               {"device", {{"kind", "cuda"}, {"name", "NVIDIA H200"}}}};
                 });
  }

  Json adopted() const { return read_json(adopted_file()).value; }
  std::string adopted_version() const {
    return adopted().at("architectures").at("90a").at("version").get<std::string>();
  }

  TemporaryDirectory directory_;
  OpConfig config_;
  std::string verdict_ = "FASTER";
  std::string second_verdict_ = "FASTER";
  std::vector<std::pair<std::string, std::string>> rematches_;
};

}  // namespace kernelloop
