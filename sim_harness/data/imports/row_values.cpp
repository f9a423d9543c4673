#include "sim_harness/data/imports/row_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "sim_harness/base/text/plain_text.hpp"
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

bool is_null_text(std::string_view text) {
  constexpr std::array<std::string_view, 9> kTexts{"never", "inf",  "NULL", "null", "\\N",
                                                   "None",  "none", "NaT",  "-"};
  constexpr std::size_t kLongest = 5;
  return text.size() <= kLongest && std::ranges::find(kTexts, text) != kTexts.end();
}

/// The row as a table of one row. For each expression it is seen with the columns that the
/// expression names, each as the number or the text for which the expression takes it: to SQLite,
/// the type of a column decides how it is compared.
class RowExpressions::Sqlite {
 public:
  /// If columns differ only in case, SQLite knows the first.
  Sqlite(const std::vector<std::string>& columns,
         const std::vector<std::optional<std::size_t>>& twins) {
    if (sqlite3_open_v2(":memory:", &handle_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
      sqlite3_close(handle_);
      throw std::runtime_error("SQLite cannot make a database in memory");
    }
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    add_quantity_function(handle_);
    std::string table;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (twins[i] && *twins[i] < i) continue;
      table += fmt::format("{}{}", table.empty() ? "" : ",", quoted_name(columns[i]));
    }
    execute(fmt::format("CREATE TABLE line({})", table));
  }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;
  ~Sqlite() {
    read_.reset();
    write_.reset();
    sqlite3_close(handle_);
  }

  /// Returns what is wrong with an expression; empty: nothing. Adds the columns that it reads, as
  /// the table writes them.
  [[nodiscard]] std::string check(std::string_view expression, std::set<std::string>& used) {
    // The line ends keep a comment in the expression from swallowing the bracket.
    const std::string sql = fmt::format("SELECT (\n{}\n) FROM line", expression);
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    sqlite3_set_authorizer(handle_, cospot_authorize_expression, &used);
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
               const std::vector<Expression>& expressions) {
    std::string values;
    for (const Expression& expression : expressions) {
      std::string seen;
      for (const std::size_t column : expression.uses.columns) {
        seen += fmt::format("{}{} AS {}", seen.empty() ? "" : ",",
                            stored(column, expression.uses.as_numbers.contains(column)),
                            quoted_name(columns[column]));
      }
      values += fmt::format("{}(WITH line AS (SELECT {} FROM fields) SELECT (\n{}\n) FROM line)",
                            values.empty() ? "" : ",", seen.empty() ? "1" : seen, expression.sql);
    }
    std::string table;
    std::string assignments;
    for (const auto& [column, is_number] : stored_) {
      const std::string name = stored(column, is_number);
      table += fmt::format(",{} {}", name, is_number ? "NUMERIC" : "TEXT");
      assignments += fmt::format("{}{}=?", assignments.empty() ? "" : ",", name);
    }
    execute(fmt::format("CREATE TABLE fields(row{})", table));
    execute("INSERT INTO fields DEFAULT VALUES");
    execute("BEGIN");
    if (!stored_.empty()) write_ = statement("UPDATE fields SET " + assignments);
    read_ = statement(fmt::format("SELECT {}", values));
  }

  [[nodiscard]] bool is_prepared() const { return read_ != nullptr; }

  /// Returns what is wrong; empty: nothing.
  [[nodiscard]] std::string evaluate(std::span<const std::string_view> fields,
                                     std::vector<RowValue>& values) {
    int parameter = 0;
    for (const auto& [column, is_number] : stored_) {
      const std::string_view field = fields[column];
      ++parameter;
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

  /// The stored column of a column, which is made if there is none yet.
  std::string stored(std::size_t column, bool is_number) {
    stored_.emplace(column, is_number);
    return fmt::format("{}{}", is_number ? "number" : "text", column);
  }

  sqlite3* handle_ = nullptr;
  std::set<std::pair<std::size_t, bool>> stored_;  ///< columns, as texts or as numbers
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

RowExpressions::RowExpressions(std::span<const std::string> columns, bool has_null_texts)
    : columns_(columns.begin(), columns.end()),
      twins_(columns.size()),
      meant_texts_(columns.size()),
      has_null_texts_(has_null_texts) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto [first, is_new] = known.try_emplace(in_lower_case(columns_[i]), i);
    if (is_new) continue;
    twins_[i] = first->second;
    twins_[first->second] = i;
  }
  sqlite_ = std::make_unique<Sqlite>(columns_, twins_);
}

RowExpressions::~RowExpressions() = default;

std::size_t RowExpressions::add(std::string_view option, std::string_view expression) {
  // A column's name stands for itself, whatever signs it is made of.
  const auto same = std::ranges::find(columns_, expression);
  const bool is_column = same != columns_.end();
  const std::string sql = is_column ? quoted_name(expression) : std::string(expression);
  std::set<std::string> used;
  if (const std::string fault = sqlite_->check(sql, used); !fault.empty()) {
    throw ConfigError(fmt::format("{} '{}': {}; the columns are {}{}", option, expression, fault,
                                  fmt::join(columns_, ", "), separator_hint(columns_)));
  }
  ColumnUses uses = is_column ? ColumnUses{} : column_uses(expression, columns_);
  if (is_column) uses.columns.insert(static_cast<std::size_t>(same - columns_.begin()));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!used.contains(columns_[i])) continue;
    require_single(option, i);
    uses.columns.insert(i);
  }
  for (const std::size_t column : uses.columns) {
    meant_texts_[column].insert(uses.texts.begin(), uses.texts.end());
  }
  expressions_.push_back({std::string(option), sql, std::move(uses)});
  values_.emplace_back();
  return expressions_.size() - 1;
}

void RowExpressions::require_single(std::string_view option, std::size_t column) const {
  if (!twins_[column]) return;
  throw WorkloadError(fmt::format(
      "{}: the columns {} and {} differ in case only, expected other names for one of "
      "them, because conditions and expressions cannot tell them apart",
      option, quoted_excerpt(columns_[column]), quoted_excerpt(columns_[*twins_[column]])));
}

void RowExpressions::evaluate(std::span<const std::string_view> fields) {
  row_.assign(fields.begin(), fields.end());
  for (std::size_t i = 0; has_null_texts_ && i < row_.size(); ++i) {
    if (is_null_text(row_[i]) && !meant_texts_[i].contains(row_[i])) row_[i] = {};
  }
  if (expressions_.empty()) return;
  if (!sqlite_->is_prepared()) sqlite_->prepare(columns_, expressions_);
  fault_ = sqlite_->evaluate(row_, values_);
}

std::optional<NumberFault> RowExpressions::number_fault(std::size_t expression) const {
  const Expression& of = expressions_[expression];
  for (const NumericColumn& number : of.uses.numbers) {
    const std::string_view field = row_[number.column];
    if (number.takes(field)) continue;
    const std::string& name = columns_[number.column];
    return NumberFault{name,
                       {fmt::format("{} is {}", name, quoted_excerpt(field)),
                        fmt::format("{}: {} uses it as a number", number.expected(), of.option)}};
  }
  return std::nullopt;
}

bool is_true(const RowValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole != 0;
  if (const auto* real = std::get_if<double>(&value)) return *real != 0;
  return false;
}

}  // namespace cospot
