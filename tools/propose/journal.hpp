// The journal of one proposal under way: <generated>/<op>/.pending/vNNN/. What was asked is on disk
// before the asking, what was answered before anything reads it, so that a build killed at any
// moment goes on where it was and pays for nothing twice.
//
//   turn001.request.json   what is asked, of whom, in which mode
//   turn001.reply.json     the answer, written whole by the courier or by us
//   turn001.body-1.json    a response as it came over the wire (1: the first request)
//   turn001.lock           held by the courier of this turn for as long as it lives
//   turn001.log            the courier's messages
//   turn001.failed-1.json  an attempt that brought no answer, with its time
//   turn001/               scratch of the compiler
#pragma once

#include "propose/meter.hpp"
#include "propose/provider.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kernelloop {

struct PendingRequest {
  std::string provider;
  std::string mode;    // seed, fix, optimise, branch
  std::string parent;  // "" for a seed
  std::string language = "CUDA";
  AskRequest request;
  Account account;
};

Json to_json(const PendingRequest& pending);
// Throws Error(bad_input).
PendingRequest pending_from_json(const JsonDocument& document);

class Journal {
 public:
  // Touches nothing yet. `op_dir` is <generated>/<op>.
  Journal(const std::filesystem::path& op_dir, int version);

  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }
  // One build at a time works on a version; stands beside the directory, which goes at the end.
  [[nodiscard]] std::filesystem::path version_lock() const;
  [[nodiscard]] std::filesystem::path file(int turn, const std::string& what) const;
  [[nodiscard]] std::filesystem::path body_file(int turn, int number) const;  // counts from 1

  // Creates the directory and checks that it and `step_dir` (where proposed.json goes) can be
  // written and have `bytes` to spare. Throws Error(io): then nothing may be asked, for the answer
  // had no place.
  void prepare(const std::filesystem::path& step_dir, std::uintmax_t bytes) const;

  [[nodiscard]] std::optional<PendingRequest> request(int turn) const;
  void keep_request(int turn, const PendingRequest& request) const;

  // The reply on disk. Throws Error(bad_input) when the file is damaged.
  [[nodiscard]] std::optional<Reply> reply(int turn) const;
  void keep_reply(int turn, const Reply& reply) const;

  // Keeps what is known of an attempt without an answer as failed-<n>, so that the turn can be
  // asked again. `what` is one line. A reply and the responses it was made of move along.
  void record_failure(int turn, const std::string& what) const;

  // Waits until no courier works on this turn.
  void wait_for_courier(int turn) const;

  // A response is here that no reply was made of: its courier died in between.
  [[nodiscard]] bool has_unread_body(int turn) const;

  // Records a courier that was sent, is gone, and left nothing.
  void note_lost_courier(int turn) const;

  // Removes the directory of a version that has been published, unless it holds a hand-written
  // source that is not the published one.
  void discard(const std::filesystem::path& published_source) const;

 private:
  std::filesystem::path directory_;
  int version_;
};

// Now, in UTC: "2026-11-29T14:03:00Z".
std::string utc_time();

}  // namespace kernelloop
