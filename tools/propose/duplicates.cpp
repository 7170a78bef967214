#include "propose/duplicates.hpp"

#include "compile/normal_form.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

namespace kernelloop {

std::string earlier_twin(const OpConfig& config, int version, const std::string& source) {
  const std::string hash = normal_hash(source);
  const int end = config.first_of_round(config.round_of(version));
  for (int earlier = 1; earlier < end; ++earlier) {
    const std::filesystem::path path = config.version_dir(earlier) / "kernel.cu";
    if (std::filesystem::exists(path) && normal_hash(read_file(path)) == hash) {
      return version_name(earlier);
    }
  }
  return {};
}

}  // namespace kernelloop
