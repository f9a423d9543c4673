#include "sim_harness/data/imports/row_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "core/errors.hpp"
#include "sim_harness/data/imports/sql_quantity.hpp"

namespace cospot {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

/// Lets a statement do no more than compute from the one row, and notes the columns it reads.
extern "C" int cospot_authorize_expression(void* used, int action, const char* table,
                                           const char* detail, const char* /*database*/,
                                           const char* /*view*/) {
  const bool is_ours = table != nullptr && std::string_view(table) == "line";
  if (action == SQLITE_READ && !is_ours) return SQLITE_DENY;
  if (action == SQLITE_READ) static_cast<std::set<std::string>*>(used)->insert(detail);
  if (action == SQLITE_FUNCTION && std::string_view(detail) == "load_extension") return SQLITE_DENY;
  const bool allowed =
      action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION;
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

RowValue read_value(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return std::monostate{};
    default:
      return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)),
                         static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
  }
}

}  // namespace

/// The row as a table of one row. Its columns are NUMERIC, so that '7' and 7 compare as equal
/// whichever way an expression writes it.
class RowExpressions::Sqlite {
 public:
  explicit Sqlite(const std::vector<std::string>& columns) {
    if (sqlite3_open_v2(":memory:", &handle_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
      sqlite3_close(handle_);
      throw std::runtime_error("SQLite cannot make a database in memory");
    }
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    add_quantity_function(handle_);
    std::string table;
    for (const std::string& column : columns) {
      table += fmt::format("{}{} NUMERIC", table.empty() ? "" : ",", quoted_name(column));
    }
    execute(fmt::format("CREATE TABLE line({})", table));
    execute("INSERT INTO line DEFAULT VALUES");
    execute("BEGIN");
  }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;
  ~Sqlite() {
    read_.reset();
    write_.reset();
    sqlite3_close(handle_);
  }

  /// What is wrong with an expression; empty: nothing. Notes the columns that it reads.
  [[nodiscard]] std::string check(std::string_view expression) {
    // The line ends keep a comment in the expression from swallowing the bracket.
    const std::string sql = fmt::format("SELECT (\n{}\n) FROM line", expression);
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    sqlite3_set_authorizer(handle_, cospot_authorize_expression, &used_);
    const int status = sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()) + 1,
                                          &statement, &tail);
    const Statement prepared(statement);
    std::string fault = status == SQLITE_OK ? "" : sqlite3_errmsg(handle_);
    sqlite3_set_authorizer(handle_, nullptr, nullptr);
    if (fault == "not authorized") fault = "only a condition or a value can stand here";
    const bool is_one = tail != nullptr && *tail == '\0' &&
                        (prepared == nullptr || sqlite3_column_count(prepared.get()) == 1);
    if (fault.empty() && !is_one) fault = "more than one expression";
    return fault;
  }

  void prepare(const std::vector<std::string>& columns,
               const std::vector<std::string>& expressions) {
    std::string assignments;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!used_.contains(columns[i])) continue;
      positions_.push_back(i);
      assignments += fmt::format("{}{}=?", assignments.empty() ? "" : ",", quoted_name(columns[i]));
    }
    if (!positions_.empty()) write_ = statement("UPDATE line SET " + assignments);
    std::string values;
    for (const std::string& expression : expressions) {
      values += fmt::format("{}(\n{}\n)", values.empty() ? "" : ",", expression);
    }
    read_ = statement(fmt::format("SELECT {} FROM line", values));
  }

  [[nodiscard]] bool is_prepared() const { return read_ != nullptr; }

  /// Returns what is wrong; empty: nothing.
  [[nodiscard]] std::string evaluate(std::span<const std::string_view> fields,
                                     std::vector<RowValue>& values) {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const std::string_view field = fields[positions_[i]];
      const int parameter = static_cast<int>(i) + 1;
      if (field.empty()) {
        sqlite3_bind_null(write_.get(), parameter);
      } else {
        sqlite3_bind_text(write_.get(), parameter, field.data(), static_cast<int>(field.size()),
                          SQLITE_STATIC);
      }
    }
    if (write_) {
      sqlite3_step(write_.get());
      sqlite3_reset(write_.get());
    }
    std::string fault;
    if (sqlite3_step(read_.get()) == SQLITE_ROW) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = read_value(read_.get(), static_cast<int>(i));
      }
    } else {
      fault = sqlite3_errmsg(handle_);
    }
    sqlite3_reset(read_.get());
    return fault;
  }

 private:
  void execute(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  Statement statement(const std::string& sql) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) fail();
    return Statement(prepared);
  }
  [[noreturn]] void fail() const { throw std::runtime_error(sqlite3_errmsg(handle_)); }

  sqlite3* handle_ = nullptr;
  std::set<std::string> used_;          ///< columns, as the table writes them
  std::vector<std::size_t> positions_;  ///< of the used ones
  Statement write_;
  Statement read_;
};

namespace {

/// A table in one column is one that was read with the wrong separator.
std::string separator_hint(const std::vector<std::string>& columns) {
  if (columns.size() != 1) return "";
  const std::size_t at = columns.front().find_first_of(";|\t");
  if (at == std::string::npos) return "";
  const char found = columns.front()[at];
  return fmt::format(", which is one column; expected the separator {}",
                     found == '\t' ? "tab" : fmt::format("'{}'", found));
}

}  // namespace

RowExpressions::RowExpressions(std::span<const std::string> columns)
    : columns_(columns.begin(), columns.end()), sqlite_(std::make_unique<Sqlite>(columns_)) {}

RowExpressions::~RowExpressions() = default;

std::size_t RowExpressions::add(std::string_view option, std::string_view expression) {
  // A column's name stands for itself, whatever signs it is made of.
  const bool is_column = std::ranges::find(columns_, expression) != columns_.end();
  const std::string sql = is_column ? quoted_name(expression) : std::string(expression);
  if (const std::string fault = sqlite_->check(sql); !fault.empty()) {
    throw ConfigError(fmt::format("{} '{}': {}; the columns are {}{}", option, expression, fault,
                                  fmt::join(columns_, ", "), separator_hint(columns_)));
  }
  expressions_.push_back(sql);
  values_.emplace_back();
  return expressions_.size() - 1;
}

void RowExpressions::evaluate(std::span<const std::string_view> fields) {
  if (expressions_.empty()) return;
  if (!sqlite_->is_prepared()) sqlite_->prepare(columns_, expressions_);
  fault_ = sqlite_->evaluate(fields, values_);
}

bool is_true(const RowValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole != 0;
  if (const auto* real = std::get_if<double>(&value)) return *real != 0;
  return false;
}

}  // namespace cospot
