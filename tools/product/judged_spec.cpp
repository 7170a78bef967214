#include "product/judged_spec.hpp"

#include "spec/op_spec.hpp"
#include "support/hash.hpp"
#include "support/json_members.hpp"

namespace kernelloop {

std::string changed_since(const OpConfig& config, const Json& verdict) {
  const std::string contract = text_member(verdict, "contract_sha256");
  const std::string checks = text_member(verdict, "checks_sha256");
  if (contract.empty() && checks.empty()) return {};
  const SpecParts parts = split_spec(read_json(config.spec));
  std::string changed;
  const auto compare = [&](const char* name, const std::string& hash, const Json& part) {
    if (hash.empty() || hash == sha256(to_text(part))) return;
    changed += (changed.empty() ? "" : " and ") + std::string(name);
  };
  compare("contract", contract, parts.contract);
  compare("checks", checks, parts.checks);
  return changed;
}

}  // namespace kernelloop
