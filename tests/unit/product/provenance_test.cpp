#include "product/provenance.hpp"

#include "product/adopted.hpp"

#include "project_fixture.hpp"

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ProvenanceTest : public ProjectTest {
 protected:
  ProvenanceTest() {
    add_version(4, 50);
    adopt_now();
  }
  void change_adopted(const std::string& pointer, Json value) {
    Json json = adopted();
    json[Json::json_pointer(pointer)] = std::move(value);
    write(adopted_file(), to_text(json));
  }
  std::filesystem::path evidence() const { return root() / "reports/softmax/nvidia-h200.json"; }
};

TEST_F(ProvenanceTest, WhatWasAdoptedIsInOrder) {
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
}

TEST_F(ProvenanceTest, AnEditedKernelIsFound) {
  write(source(4), "// kernel 4, faster\n");
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre("softmax: kernel.cu of v004 was edited after it was verified; run "
                          "adopt_softmax again"));
}

TEST_F(ProvenanceTest, AMissingKernelIsFound) {
  std::filesystem::remove(source(4));
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre(HasSubstr("kernel.cu of the adopted v004 is missing")));
}

TEST_F(ProvenanceTest, EditedEvidenceIsFound) {
  write(evidence(), read_file(evidence()) + " ");
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre(HasSubstr("was changed after v004 was adopted")));
}

TEST_F(ProvenanceTest, MissingEvidenceIsFound) {
  std::filesystem::remove(evidence());
  EXPECT_THAT(provenance_problems(config_), ElementsAre(HasSubstr("is missing")));
}

TEST_F(ProvenanceTest, EvidenceOfAnotherSourceIsFoundThoughItsHashAgrees) {
  Json json = read_json(evidence()).value;
  json["source_sha256"] = "0";
  json["status"] = "unverified";
  json["version"] = "v001";
  write(evidence(), to_text(json));
  change_adopted("/architectures/90a/evidence_sha256", sha256_of_file(evidence()));
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre(HasSubstr("is evidence of softmax v001"), HasSubstr("another source"),
                          HasSubstr("does not say that v004 was verified")));
}

TEST_F(ProvenanceTest, OldRulesAreFound) {
  change_adopted("/architectures/90a/rules", k_verification_rules + 1);
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre(HasSubstr("run verify_softmax, then adopt_softmax")));
}

TEST_F(ProvenanceTest, ALostAdoptedFileIsFoundByItsEvidence) {
  std::filesystem::remove(adopted_file());
  EXPECT_TRUE(was_adopted(config_));
  EXPECT_THAT(provenance_problems(config_),
              ElementsAre(AllOf(HasSubstr("adopted.json is missing, though "),
                                HasSubstr("nvidia-h200.json is evidence of an adopted version"))));
}

TEST_F(ProvenanceTest, WhereNothingWasAdoptedNothingIsWrong) {
  std::filesystem::remove(adopted_file());
  std::filesystem::remove(evidence());
  // A report of what is there is no evidence.
  write(root() / "reports/softmax/nvidia-h200.report.json", "{}\n");
  EXPECT_FALSE(was_adopted(config_));
  EXPECT_THAT(provenance_problems(config_), IsEmpty());
  std::filesystem::remove_all(root() / "reports");
  EXPECT_FALSE(was_adopted(config_));
}

TEST_F(ProvenanceTest, ABrokenAdoptedFileIsFoundWithItsPlace) {
  write(adopted_file(), "{\n  \"op\": \"softmax\",\n<<<<<<< HEAD\n");
  EXPECT_THAT(provenance_problems(config_), ElementsAre(HasSubstr("adopted.json:3:")));
  write(adopted_file(),
        "{\"op\": \"softmax\", \"architectures\": {\"90a\": {\"version\": \"v4x\"}}}");
  EXPECT_THAT(provenance_problems(config_), ElementsAre(HasSubstr("'v4x' is no version name")));
  write(adopted_file(), "[]");
  EXPECT_THAT(provenance_problems(config_), ElementsAre(HasSubstr("not a JSON object")));
}

TEST_F(ProvenanceTest, AnAdoptedFileOfAnotherOpIsFound) {
  change_adopted("/op", "rmsnorm");
  EXPECT_THAT(provenance_problems(config_), ElementsAre(HasSubstr("is about rmsnorm")));
}

TEST_F(ProvenanceTest, OneProblemOfTwoArchitecturesIsSaidOnce) {
  Json json = adopted();
  json["architectures"]["80"] = json["architectures"]["90a"];
  write(adopted_file(), to_text(json));
  write(source(4), "// edited\n");
  EXPECT_EQ(provenance_problems(config_).size(), 1u);
}

}  // namespace
}  // namespace kernelloop
