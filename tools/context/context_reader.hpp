// What a model can look up while it writes a version: the CONTEXT directories, the notes that ship
// with KernelLoop, and the operator's earlier versions. Everything here reads; nothing writes,
// executes what it reads, or reaches a network.
#pragma once

#include "config/op_config.hpp"

#include "context/context_files.hpp"
#include "context/context_index.hpp"
#include "context/earlier_versions.hpp"

#include <memory>
#include <string>

namespace kernelloop {

// Text with "file:line" at its places, or, when it failed, one sentence that helps on.
struct Reading {
  std::string text;
  bool failed = false;
};

class ContextReader {
 public:
  static constexpr int k_hits = 6;  // of a search, unless asked otherwise
  static constexpr int k_most_hits = 20;
  static constexpr int k_excerpt_lines = 16;
  static constexpr int k_most_lines = 400;   // of one reading
  static constexpr int k_most_matches = 60;  // of one grep
  static constexpr int k_most_names = 200;   // of one list

  // `before`: only versions below this number are shown. Throws Error(bad_input) when a directory
  // is missing.
  ContextReader(const OpConfig& config, int before);

  // The index is brought up to date at the first use of it. Throws Error(io).
  Reading search(const std::string& query, int limit = k_hits);
  // Lines first to last, counted from 1; last 0: as many as one reading may have.
  Reading read(const std::string& file, int first = 1, int last = 0);
  // What stands in a directory; "" for the roots.
  Reading list(const std::string& directory);
  // `below`: a directory, a file, or "" for everything but the versions, which are named.
  Reading grep(const std::string& pattern, const std::string& below, bool ignore_case);

  // What the index holds, for people.
  IndexUpdate refresh();

 private:
  ContextIndex& index();
  [[nodiscard]] FileText text_of(const std::string& file) const;
  [[nodiscard]] std::vector<std::string> names_below(const std::string& below);
  [[nodiscard]] Reading no_such(const std::string& name) const;

  ContextFiles files_;
  EarlierVersions versions_;
  std::filesystem::path index_directory_;
  std::unique_ptr<ContextIndex> index_;
  IndexUpdate last_update_;
};

}  // namespace kernelloop
