#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace cospot {

enum class SqliteOpen : std::uint8_t { kExisting, kCreate, kReadOnly };

/// The storage type of a value; kOther: text or bytes.
enum class SqliteType : std::uint8_t { kNull, kInteger, kNumber, kOther };

/// An open SQLite file. Errors: DatabaseError that starts with the file's name.
class SqliteConnection {
 public:
  SqliteConnection(const std::filesystem::path& file, SqliteOpen open);

  /// A database in memory; `name` identifies it in errors.
  [[nodiscard]] static SqliteConnection in_memory(const std::string& name);

  /// Runs statements that return no rows.
  void execute(const std::string& sql);

  /// Runs `PRAGMA name` and returns its integer.
  [[nodiscard]] std::int64_t read_pragma(const std::string& name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[noreturn]] void throw_last_error() const;

 private:
  friend class SqliteStatement;
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  explicit SqliteConnection(std::string name) : name_(std::move(name)) {}
  void open_as(const char* file, int flags);

  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement: bind the values in order, step, read the columns.
class SqliteStatement {
 public:
  SqliteStatement(SqliteConnection& connection, std::string_view sql);

  SqliteStatement& bind(std::int64_t value);
  SqliteStatement& bind(double value);
  SqliteStatement& bind(const std::string& value);
  SqliteStatement& bind_null();

  /// Returns whether there is a row to read; after the last one the statement can be bound again.
  bool step();

  // These read the next column of the row.
  [[nodiscard]] bool next_is_null() const;
  [[nodiscard]] SqliteType next_type() const;
  std::int64_t read_integer();
  double read_number();
  std::string read_text();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int status);

  SqliteConnection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_parameter_ = 1;
  int next_column_ = 0;
};

/// Rolls back on destruction unless commit() was called.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteConnection& connection);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void commit();

 private:
  SqliteConnection* connection_;
};

}  // namespace cospot
