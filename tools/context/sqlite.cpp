#include "context/sqlite.hpp"

#include "support/error.hpp"

#include <sqlite3.h>

#include <system_error>

namespace kernelloop {
namespace {

constexpr int k_busy_milliseconds = 60'000;

[[noreturn]] void fail_database(sqlite3* connection, int code) {
  const std::string reason =
      connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  const char* name = connection != nullptr ? sqlite3_db_filename(connection, "main") : nullptr;
  if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB) {
    throw DamagedDatabase{reason};
  }
  fail(ExitCode::io,
       "the context index {}: {}; free some space or make its directory writable, or delete it: "
       "it is made again",
       name != nullptr ? name : "", reason);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail_database(connection, code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, value);
  if (code != SQLITE_OK) fail_database(connection_, code);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  // No null pointer: that would bind NULL.
  const char* data = value.data() != nullptr ? value.data() : "";
  const int code = sqlite3_bind_text64(statement_.get(), parameter, data, value.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) fail_database(connection_, code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) fail_database(connection_, code);
  return false;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string() : std::string(data, static_cast<std::size_t>(size));
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Database::Database(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) {
    fail(ExitCode::io, "cannot open the context index {}: {}; make its directory writable",
         path.string(), connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code));
  }
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, k_busy_milliseconds);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail_database(connection_.get(), code);
}

Statement Database::prepare(std::string_view sql) { return {connection_.get(), sql}; }

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (...) {  // SQLite has rolled back by itself, or does when the connection goes
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace kernelloop
