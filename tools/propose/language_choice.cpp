#include "propose/language_choice.hpp"

#include "support/version.hpp"

#include "languages/version_source.hpp"

namespace kernelloop {
namespace {

const Language& in_turn(const OpConfig& config, int number) {
  const auto index = static_cast<std::size_t>(number) % config.languages.size();
  return language_named(config.languages[index]);
}

}  // namespace

const Language& language_for(const OpConfig& config, int version,
                             const std::optional<History>& history) {
  const auto count = static_cast<int>(config.languages.size());
  if (!history || version <= count) return in_turn(config, version - 1);
  if (history->decision.action == Decision::Action::branch) return in_turn(config, version - 1);
  const int parent = version_number(history->decision.parent);
  const auto source = parent > 0 ? find_version_source(config.version_dir(parent)) : std::nullopt;
  return source ? *source->language : in_turn(config, 0);
}

}  // namespace kernelloop
