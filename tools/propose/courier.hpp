// The courier: a process of its own session that carries one request to a paying provider and
// writes the reply down. Whatever happens to the build that sent it, the answer arrives.
#pragma once

#include "propose/journal.hpp"
#include "propose/provider.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

// Asks through a courier and waits for it. At most one courier works on a turn at any time; a reply
// that is on disk is taken, not asked for.
class CourierProvider : public Provider {
 public:
  // `program` and its leading arguments: {"/usr/bin/kernelloop", "courier"}. The request must be in
  // the journal already.
  CourierProvider(const Journal& journal, std::vector<std::string> program);

  // A courier that dies without a reply is recorded in the journal and sent once more; then
  // Error(provider).
  Reply ask(const AskRequest& request) override;

 private:
  void send(const AskRequest& request) const;

  const Journal& journal_;
  std::vector<std::string> program_;
};

// The courier's own work: reads the request file of a journal, asks, writes the reply file.
// Everything that goes wrong is a failed reply too; throws Error only when nothing can be written.
void run_courier(const std::filesystem::path& request_file,
                 const std::filesystem::path& reply_file);

}  // namespace kernelloop
