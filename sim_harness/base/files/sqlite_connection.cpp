#include "sim_harness/base/files/sqlite_connection.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

/// The pause between two attempts at another process's lock, and their number: 10 seconds in all.
constexpr std::chrono::milliseconds kBusyWait{20};
constexpr int kBusyTries = 500;

/// The number of steps of SQLite's virtual machine between two checks for an interrupt.
constexpr int kStepsBetweenPolls = 10'000;

extern "C" int cospot_sqlite_shall_end(void* /*unused*/) {
  return current_stop_token().is_asked() ? 1 : 0;
}

/// Tells SQLite to try again, after a while. Its own handler would not notice an interrupt.
extern "C" int cospot_sqlite_is_busy(void* /*unused*/, int tries) {
  if (tries >= kBusyTries || current_stop_token().is_asked()) return 0;
  std::this_thread::sleep_for(kBusyWait);
  return 1;
}

int open_flags(SqliteOpen open) {
  switch (open) {
    case SqliteOpen::kExisting:
      return SQLITE_OPEN_READWRITE;
    case SqliteOpen::kCreate:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case SqliteOpen::kReadOnly:
      break;
  }
  return SQLITE_OPEN_READONLY;
}

}  // namespace

void SqliteConnection::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

SqliteConnection::SqliteConnection(const std::filesystem::path& file, SqliteOpen open)
    : name_(file.string()) {
  if (file.empty()) throw DatabaseError("a results database needs a file name");
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw DatabaseError(name_ + ": is a folder; expected a results database");
  }
  const std::filesystem::path absolute = std::filesystem::absolute(file);
  if (open == SqliteOpen::kCreate &&
      !std::filesystem::is_directory(absolute.parent_path(), error)) {
    throw DatabaseError(name_ + ": there is no folder " + absolute.parent_path().string());
  }
  if (open != SqliteOpen::kCreate && !std::filesystem::exists(absolute, error)) {
    throw DatabaseError(name_ + ": there is no such file");
  }
  // SQLite says of a folder that only readers may enter that it is "unable to open database file".
  const std::string folder = absolute.parent_path().string();
  if (open == SqliteOpen::kCreate && !std::filesystem::exists(absolute, error) &&
      access(folder.c_str(), W_OK) != 0) {
    throw DatabaseError(name_ + ": cannot be written: the folder " + folder +
                        " is read-only; choose another file");
  }
  // The absolute path, because SQLite gives names like ":memory:" a meaning of their own.
  if (open != SqliteOpen::kCreate || std::filesystem::exists(absolute, error)) {
    open_as(absolute.c_str(), open_flags(open));
    return;
  }
  // A new file is not made at the end of a link that somebody has laid; SQLite's own files beside
  // it never are.
  if (std::filesystem::is_symlink(symlink_status(absolute, error))) {
    throw DatabaseError(name_ + ": is a link to nothing; remove it, or choose another file");
  }
  const std::filesystem::path real = std::filesystem::canonical(folder) / absolute.filename();
  open_as(real.c_str(), open_flags(open) | SQLITE_OPEN_NOFOLLOW);
}

void SqliteConnection::open_as(const char* file, int flags) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(file, &handle, flags, nullptr);
  handle_.reset(handle);
  if (status != SQLITE_OK) throw_last_error();
  // The views of a file from elsewhere are SQL of somebody else, which reaches no other file.
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_busy_handler(handle, cospot_sqlite_is_busy, nullptr);
  sqlite3_progress_handler(handle, kStepsBetweenPolls, cospot_sqlite_shall_end, nullptr);
}

SqliteConnection SqliteConnection::in_memory(const std::string& name) {
  SqliteConnection connection(name);
  connection.open_as(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  return connection;
}

void SqliteConnection::throw_last_error() const {
  const int code = handle_ ? sqlite3_errcode(handle_.get()) : SQLITE_NOMEM;
  const std::string reason = handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory";
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      throw Interrupted{};
    case SQLITE_NOTADB:
      throw DatabaseError(name_ + ": is not a results database (" + reason + ")");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      current_stop_token().check();
      throw DatabaseError(name_ + ": another process is using it (" + reason + ")");
    case SQLITE_CORRUPT:
      throw DatabaseError(name_ + ": is damaged (" + reason +
                          "); delete it, or choose another file");
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      throw DatabaseError(name_ + ": cannot be opened or written (" + reason + ")");
    default:
      throw DatabaseError(name_ + ": " + reason);
  }
}

void SqliteConnection::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw_last_error();
  }
}

std::int64_t SqliteConnection::read_pragma(const std::string& name) {
  SqliteStatement statement(*this, "PRAGMA " + name);
  return statement.step() ? statement.read_integer() : 0;
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(SqliteConnection& connection, std::string_view sql)
    : connection_(&connection) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection.handle_.get(), sql.data(), static_cast<int>(sql.size()),
                           &statement, nullptr));
  statement_.reset(statement);
}

void SqliteStatement::check(int status) {
  if (status != SQLITE_OK) connection_->throw_last_error();
}

SqliteStatement& SqliteStatement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), next_parameter_++, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(double value) {
  check(sqlite3_bind_double(statement_.get(), next_parameter_++, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(const std::string& value) {
  check(sqlite3_bind_text64(statement_.get(), next_parameter_++, value.data(), value.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::bind_null() {
  check(sqlite3_bind_null(statement_.get(), next_parameter_++));
  return *this;
}

bool SqliteStatement::step() {
  const int status = sqlite3_step(statement_.get());
  next_column_ = 0;
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) connection_->throw_last_error();
  sqlite3_reset(statement_.get());
  next_parameter_ = 1;
  return false;
}

bool SqliteStatement::next_is_null() const {
  return sqlite3_column_type(statement_.get(), next_column_) == SQLITE_NULL;
}

SqliteType SqliteStatement::next_type() const {
  switch (sqlite3_column_type(statement_.get(), next_column_)) {
    case SQLITE_NULL:
      return SqliteType::kNull;
    case SQLITE_INTEGER:
      return SqliteType::kInteger;
    case SQLITE_FLOAT:
      return SqliteType::kNumber;
    default:
      return SqliteType::kOther;
  }
}

std::int64_t SqliteStatement::read_integer() {
  return sqlite3_column_int64(statement_.get(), next_column_++);
}

double SqliteStatement::read_number() {
  return sqlite3_column_double(statement_.get(), next_column_++);
}

std::string SqliteStatement::read_text() {
  const int column = next_column_++;
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

SqliteTransaction::SqliteTransaction(SqliteConnection& connection) : connection_(&connection) {
  connection.execute("BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction() {
  if (connection_ == nullptr) return;
  const StopScope unbroken{StopToken()};
  try {
    connection_->execute("ROLLBACK");
  } catch (const std::runtime_error&) {
    // SQLite has rolled back already: it does so itself after a full disk.
  }
}

void SqliteTransaction::commit() {
  connection_->execute("COMMIT");
  connection_ = nullptr;
}

}  // namespace cospot
