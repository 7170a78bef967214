// A full-text index of the CONTEXT directories, kept up to date from one use to the next.
//
// One SQLite file (FTS5) for each set of directories; operators with the same set share it. It is
// a cache: whoever finds it damaged or of another layout makes it again. One process at a time
// brings it up to date; others read meanwhile (WAL).
#pragma once

#include "context/context_files.hpp"
#include "context/query.hpp"
#include "context/sqlite.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kernelloop {

// What one update saw.
struct IndexUpdate {
  int files = 0;    // that can be found now
  int skipped = 0;  // binary, too large, with secrets
  int read = 0;     // new or changed since the last time: these were opened
  int removed = 0;
  bool full = false;       // the caps were reached: some files were left out
  std::int64_t bytes = 0;  // of the files that can be found
};

struct ContextHit {
  std::string file;  // "cutlass/include/cute/layout.hpp"
  int first_line = 1;
  int last_line = 1;
  std::string heading;
  std::string text;  // of the whole chunk
};

struct ContextHits {
  std::vector<ContextHit> hits;  // best first
  bool exact = true;             // false: not all terms occur together anywhere
};

class ContextIndex {
 public:
  static constexpr int k_most_files = 50'000;
  static constexpr std::int64_t k_most_bytes = 512 << 20;

  // Opens or makes the index of `files` at `path`; not yet up to date. Throws Error(io).
  ContextIndex(const ContextFiles& files, const std::filesystem::path& path);

  // Compares size and time of every file, and the content of those that differ. Throws Error(io).
  IndexUpdate update();

  // The `limit` best pieces, by BM25 with names and headings counting more than text. Where fewer
  // hold all terms, those follow that hold any; where none does, those with words that begin alike.
  // At most two pieces of one file. An empty query finds nothing.
  [[nodiscard]] ContextHits search(const std::string& query, int limit);

  // The names of all files that can be found, with their sizes, sorted. `below`: only those in this
  // directory ("cutlass/include"), or this file; empty: all.
  struct Listed {
    std::string name;
    std::int64_t size = 0;
  };
  [[nodiscard]] std::vector<Listed> files(const std::string& below);

 private:
  void open();
  void open_afresh();
  IndexUpdate update_once();
  ContextHits search_once(const std::string& query, int limit);
  // The rarest terms of `query`, as many as can be ranked quickly: what stands all over the place
  // takes long and says little. Empty when no term occurs.
  [[nodiscard]] ContextQuery telling_terms(const ContextQuery& query);

  const ContextFiles& files_;
  std::filesystem::path path_;
  std::unique_ptr<Database> database_;
};

// Where the index of these roots stands under a build tree: <directory>/<16 digits>.sqlite.
std::filesystem::path index_path(const std::filesystem::path& directory, const ContextFiles& files);

}  // namespace kernelloop
