#include "propose/duplicates.hpp"

#include "compile/normal_form.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include "languages/version_source.hpp"

namespace kernelloop {

std::string earlier_twin(const OpConfig& config, int version, const std::string& source,
                         const Language& language) {
  const std::string hash = normal_hash(source, language);
  const int end = config.first_of_round(config.round_of(version));
  for (int earlier = 1; earlier < end; ++earlier) {
    const auto found = find_version_source(config.version_dir(earlier));
    if (!found || found->language != &language) continue;
    if (normal_hash(read_file(found->path), language) == hash) return version_name(earlier);
  }
  return {};
}

}  // namespace kernelloop
