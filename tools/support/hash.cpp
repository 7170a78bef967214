#include "support/hash.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <openssl/evp.h>

#include <array>

namespace kernelloop {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    fail(ExitCode::internal, "SHA-256 is not available in this OpenSSL");
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_file(const std::filesystem::path& path) { return sha256(read_file(path)); }

}  // namespace kernelloop
