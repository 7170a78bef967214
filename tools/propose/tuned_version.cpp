#include "propose/tuned_version.hpp"

#include "loop/tuning.hpp"
#include "plan/configurations.hpp"
#include "propose/duplicates.hpp"
#include "propose/provider_choice.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include "languages/version_source.hpp"

namespace kernelloop {

Proposal tuned_version(const OpConfig& config, const History& history, int version) {
  const auto tuning = tuning_for(history, config, version);
  if (!tuning) fail(ExitCode::internal, "{} decided to tune nothing", config.op);
  const std::string& parent = tuning->base->version;
  const auto index = static_cast<std::size_t>(tuning->next);
  const auto source = find_version_source(config.version_dir(version_number(parent)));
  if (!source) {
    fail(ExitCode::bad_input, "{} {}: the version that it is a configuration of, {}, is gone",
         config.op, version_name(version), parent);
  }
  const auto configured = configured_source(read_file(source->path), index);
  if (!configured) {
    fail(ExitCode::bad_input,
         "{} has no configuration {} any more; versions are never edited: put it back, or build "
         "anew without its steps",
         source->path.string(), index + 1);
  }
  Proposal proposal;
  proposal.language = source->language;
  proposal.source = configured->source;
  proposal.summary = fmt::format("configuration {} of {} of {}: {}", index + 1,
                                 tuning->base->configurations, parent, configured->chosen);
  proposal.duplicate_of = earlier_twin(config, version, proposal.source, *source->language);
  proposal.provider = k_nobody;
  proposal.mode = name_of(Decision::Action::tune);
  proposal.parent = parent;
  return proposal;
}

}  // namespace kernelloop
