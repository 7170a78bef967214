#include "context/context_index.hpp"

#include "support/files.hpp"
#include "support/hash.hpp"

#include "context/chunks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr int k_layout = 1;  // raised when the tables or the cutting change
constexpr int k_chunk_bits = 20;
constexpr int k_most_of_a_file = 2;

// What the index knows of a file.
struct KnownFile {
  std::int64_t id = 0;
  std::int64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::string hash;  // empty: left out
  bool seen = false;
};

using KnownFiles = std::unordered_map<std::string, KnownFile>;

KnownFiles load_known(Database& database) {
  KnownFiles known;
  Statement query = database.prepare("SELECT name, id, size, mtime_ns, hash FROM files");
  while (query.step()) {
    known[query.text(0)] = {query.integer(1), query.integer(2), query.integer(3), query.text(4),
                            false};
  }
  return known;
}

// The statements of an update, prepared once.
class Writer {
 public:
  explicit Writer(Database& database)
      : put_(database.prepare("INSERT INTO files(name, size, mtime_ns, hash) VALUES(?1,?2,?3,?4) "
                              "ON CONFLICT(name) DO UPDATE SET size=?2, mtime_ns=?3, hash=?4 "
                              "RETURNING id")),
        drop_file_(database.prepare("DELETE FROM files WHERE id=?1")),
        add_(database.prepare("INSERT INTO chunks(rowid, file, heading, body, first_line, "
                              "last_line) VALUES(?1,?2,?3,?4,?5,?6)")),
        drop_(database.prepare("DELETE FROM chunks WHERE rowid BETWEEN ?1 AND ?2")) {}

  std::int64_t put(const ContextFile& file, const std::string& hash) {
    put_.bind(1, file.name).bind(2, file.size).bind(3, file.mtime_ns).bind(4, hash);
    put_.step();
    const std::int64_t id = put_.integer(0);
    put_.step();
    return id;
  }

  void drop_chunks(std::int64_t id) {
    drop_.bind(1, id << k_chunk_bits).bind(2, ((id + 1) << k_chunk_bits) - 1).run();
  }

  void drop_file(std::int64_t id) {
    drop_chunks(id);
    drop_file_.bind(1, id).run();
  }

  void add_chunks(std::int64_t id, const std::string& name, std::string_view text) {
    std::int64_t row = id << k_chunk_bits;
    for (const Chunk& chunk : chunks_of(text, name)) {
      add_.bind(1, row++)
          .bind(2, name)
          .bind(3, chunk.heading)
          .bind(4, chunk.text)
          .bind(5, std::int64_t{chunk.first_line})
          .bind(6, std::int64_t{chunk.last_line})
          .run();
    }
  }

 private:
  Statement put_;
  Statement drop_file_;
  Statement add_;
  Statement drop_;
};

ContextHit hit_of(const Statement& row) {
  return {row.text(0), static_cast<int>(row.integer(1)), static_cast<int>(row.integer(2)),
          row.text(3), row.text(4)};
}

}  // namespace

ContextIndex::ContextIndex(const ContextFiles& files, const fs::path& path)
    : files_(files), path_(path) {
  try {
    open();
  } catch (const DamagedDatabase&) {
    open_afresh();
  }
}

void ContextIndex::open() {
  const FileLock lock(path_.string() + ".lock");
  database_ = std::make_unique<Database>(path_);
  // A cache may lose its last update in a power cut; it must not be slow.
  database_->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536");
  Statement version = database_->prepare("PRAGMA user_version");
  version.step();
  if (version.integer(0) == k_layout) return;
  if (version.integer(0) != 0) throw DamagedDatabase{"another layout"};
  version.step();
  database_->execute(
      "CREATE TABLE IF NOT EXISTS files(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
      "size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, hash TEXT NOT NULL);"
      "CREATE VIRTUAL TABLE IF NOT EXISTS chunks USING fts5(file, heading, body, "
      "first_line UNINDEXED, last_line UNINDEXED, tokenize=\"unicode61 tokenchars '_'\");"
      "INSERT INTO chunks(chunks, rank) VALUES('rank', 'bm25(4.0, 3.0, 1.0)');"
      "PRAGMA user_version=" +
      std::to_string(k_layout));
}

void ContextIndex::open_afresh() {
  database_.reset();
  for (const char* part : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    fs::remove(path_.string() + part, ignored);
  }
  open();
}

IndexUpdate ContextIndex::update() {
  const FileLock lock(path_.string() + ".update");
  try {
    return update_once();
  } catch (const DamagedDatabase&) {
    open_afresh();
    return update_once();
  }
}

IndexUpdate ContextIndex::update_once() {
  KnownFiles known = load_known(*database_);
  IndexUpdate update;
  Transaction transaction(*database_);
  Writer writer(*database_);
  bool changed = false;
  files_.walk([&](const ContextFile& file) {
    if (update.files + update.skipped >= k_most_files || update.bytes >= k_most_bytes) {
      update.full = true;
      return false;
    }
    KnownFile& before = known[file.name];
    before.seen = true;
    const bool is_new = before.id == 0;
    std::string hash = before.hash;
    if (is_new || before.size != file.size || before.mtime_ns != file.mtime_ns) {
      ++update.read;
      changed = true;
      const FileText content = files_.read(file.path);
      hash = content.refusal.empty() ? sha256(content.text) : std::string();
      const std::int64_t id = writer.put(file, hash);
      if (hash != before.hash) {
        if (!is_new) writer.drop_chunks(id);
        if (!hash.empty()) writer.add_chunks(id, file.name, content.text);
      }
    }
    if (hash.empty()) {
      ++update.skipped;
    } else {
      ++update.files;
      update.bytes += file.size;
    }
    return true;
  });
  for (const auto& [name, file] : known) {
    if (file.seen) continue;
    writer.drop_file(file.id);
    ++update.removed;
    changed = true;
  }
  if (changed) transaction.commit();
  return update;
}

ContextHits ContextIndex::search(const std::string& query, int limit) {
  try {
    return search_once(query, limit);
  } catch (const DamagedDatabase&) {
    open_afresh();
    update();
    return search_once(query, limit);
  }
}

ContextHits ContextIndex::search_once(const std::string& query, int limit) {
  const ContextQuery parsed = parse_query(query);
  ContextHits result;
  if (parsed.empty()) return result;
  std::map<std::string, int> of_file;
  std::set<std::pair<std::string, int>> taken;
  Statement select = database_->prepare(
      "SELECT file, first_line, last_line, heading, body FROM chunks WHERE chunks MATCH ?1 "
      "ORDER BY rank LIMIT ?2");
  const auto add = [&](const std::string& expression) {
    if (expression.empty()) return;
    // More than are wanted, since of one file only some are taken.
    select.bind(1, expression).bind(2, std::int64_t{limit} * 4);
    while (select.step()) {
      ContextHit hit = hit_of(select);
      if (static_cast<int>(result.hits.size()) >= limit) continue;
      if (!taken.insert({hit.file, hit.first_line}).second) continue;
      if (++of_file[hit.file] > k_most_of_a_file) continue;
      result.hits.push_back(std::move(hit));
    }
  };
  add(parsed.all());
  result.exact = !result.hits.empty();
  if (static_cast<int>(result.hits.size()) < limit && parsed.terms.size() > 1) {
    add(telling_terms(parsed).any());
  }
  if (result.hits.empty()) add(parsed.beginnings());
  return result;
}

ContextQuery ContextIndex::telling_terms(const ContextQuery& query) {
  constexpr std::int64_t k_most_ranked = 1000;  // pieces; a millisecond or two
  Statement count = database_->prepare(
      "SELECT count(*) FROM (SELECT 1 FROM chunks WHERE chunks MATCH ?1 LIMIT ?2)");
  std::vector<std::pair<std::int64_t, const std::vector<std::string>*>> rarest;
  for (const auto& term : query.terms) {
    count.bind(1, term_expression(term)).bind(2, k_most_ranked + 1);
    count.step();
    rarest.emplace_back(count.integer(0), &term);
    count.step();
  }
  std::stable_sort(rarest.begin(), rarest.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ContextQuery telling;
  std::int64_t ranked = 0;
  for (const auto& [pieces, term] : rarest) {
    ranked += pieces;
    if (ranked > k_most_ranked && !telling.empty()) break;
    if (pieces > 0) telling.terms.push_back(*term);
  }
  return telling;
}

std::vector<ContextIndex::Listed> ContextIndex::files(const std::string& below) {
  std::vector<Listed> result;
  Statement select = database_->prepare(
      "SELECT name, size FROM files WHERE hash != '' AND (?1 = '' OR name = ?1 OR "
      "(name > ?1 || '/' AND name < ?1 || '0')) ORDER BY name");
  select.bind(1, below);
  while (select.step()) result.push_back({select.text(0), select.integer(1)});
  return result;
}

fs::path index_path(const fs::path& directory, const ContextFiles& files) {
  std::string roots;
  for (const ContextRoot& root : files.roots()) roots += root.path.string() + '\n';
  return directory / (sha256(roots).substr(0, 16) + ".sqlite");
}

}  // namespace kernelloop
