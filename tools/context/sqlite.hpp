// SQLite with owners: a connection, prepared statements, errors as exceptions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace kernelloop {

// The file is no database, or not a whole one. Whoever keeps a cache in it deletes it and starts
// afresh.
struct DamagedDatabase {
  std::string reason;
};

class Statement {
 public:
  // `sql` is one statement; use Database::prepare.
  Statement(sqlite3* connection, std::string_view sql);

  // Parameters count from 1. The text is copied.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);

  // Moves to the next row; false when there is none, and then the statement can be bound and run
  // again.
  bool step();
  void run() {
    while (step()) {
    }
  }

  // Of the current row, columns counted from 0.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  // Opens or creates `path`, with its directory. Throws Error(io), or DamagedDatabase.
  explicit Database(const std::filesystem::path& path);

  // One or more statements without parameters.
  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

// BEGIN IMMEDIATE now; ROLLBACK at the end, unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace kernelloop
