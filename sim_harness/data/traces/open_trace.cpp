#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "sim_harness/base/files/sqlite_connection.hpp"
#include "sim_harness/data/traces/csv_trace.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "sim_harness/data/traces/trace_fields.hpp"

namespace cospot {
namespace {

/// The tables `vm` and `vmType` of an SQLite file, read row by row. Requests are ordered by start
/// time, then vmId: the order of the published samples, which batched sampling relies on.
class SqliteTrace final : public PackingTrace {
 public:
  explicit SqliteTrace(const std::filesystem::path& file);

  [[nodiscard]] std::vector<TypeShare> read_shares() override;
  [[nodiscard]] std::map<std::int64_t, std::uint64_t> count_requests() override;
  void read_requests(const std::function<void(const TraceRequest&)>& take) override;

 private:
  void check_table(std::string_view table, std::span<const std::string_view> columns);
  [[noreturn]] void fail(std::string_view table, std::string_view what) const;

  SqliteConnection connection_;
};

constexpr std::string_view kRequestTable = "vm";
constexpr std::string_view kShareTable = "vmType";

std::vector<std::string> read_names(SqliteConnection& connection, std::string_view sql,
                                    const std::string& parameter = {}) {
  SqliteStatement statement(connection, sql);
  if (!parameter.empty()) statement.bind(parameter);
  std::vector<std::string> names;
  while (statement.step()) names.push_back(statement.read_text());
  return names;
}

/// SQLite's own rule: letters of ASCII are the same in either case.
bool is_same_name(std::string_view a, std::string_view b) {
  return in_lower_case(a) == in_lower_case(b);
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::any_of(names, [&](const auto& other) { return is_same_name(other, name); });
}

/// Reads `values.size()` columns of the row; `texts` holds what the values of type text refer to.
void read_values(SqliteStatement& statement, std::span<TraceValue> values,
                 std::span<std::string> texts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (statement.next_type()) {
      case SqliteType::kNull:
        (void)statement.read_integer();
        values[i] = std::monostate{};
        break;
      case SqliteType::kInteger:
        values[i] = statement.read_integer();
        break;
      case SqliteType::kNumber:
        values[i] = statement.read_number();
        break;
      case SqliteType::kOther:
        texts[i] = statement.read_text();
        values[i] = std::string_view(texts[i]);
        break;
    }
  }
}

SqliteTrace::SqliteTrace(const std::filesystem::path& file)
    : connection_(file, SqliteOpen::kReadOnly) {
  check_table(kRequestTable, kRequestColumns);
  check_table(kShareTable, kShareColumns);
}

void SqliteTrace::fail(std::string_view table, std::string_view what) const {
  throw WorkloadError(fmt::format("{}: table {}: {}", connection_.name(), table, what));
}

void SqliteTrace::check_table(std::string_view table, std::span<const std::string_view> columns) {
  const auto tables = read_names(
      connection_, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name");
  if (!has_name(tables, table)) {
    throw WorkloadError(
        fmt::format("{}: there is no table '{}', expected the tables vm and vmType; it has: {}",
                    connection_.name(), table,
                    tables.empty() ? "none" : fmt::format("{}", fmt::join(tables, ", "))));
  }
  const auto found =
      read_names(connection_, "SELECT name FROM pragma_table_info(?)", std::string(table));
  for (const std::string_view column : columns) {
    if (has_name(found, column)) continue;
    fail(table, fmt::format("the column '{}' is missing, expected {}; it has: {}", column,
                            fmt::join(columns, ","), fmt::join(found, ",")));
  }
}

std::vector<TypeShare> SqliteTrace::read_shares() {
  SqliteStatement rows(connection_, "SELECT vmTypeId, machineId, core, memory FROM vmType");
  std::array<TraceValue, kShareColumns.size()> values;
  std::array<std::string, kShareColumns.size()> texts;
  std::vector<TypeShare> shares;
  while (rows.step()) {
    read_values(rows, values, texts);
    TypeShare share;
    if (const std::string fault = read_type_share(values, share); !fault.empty()) {
      fail(kShareTable,
           fmt::format("vmTypeId {}, machineId {}: {}", share.vm_type, share.machine_type, fault));
    }
    shares.push_back(share);
  }
  sort_shares(shares, fmt::format("{}: table {}", connection_.name(), kShareTable));
  return shares;
}

std::map<std::int64_t, std::uint64_t> SqliteTrace::count_requests() {
  // Values that are no whole numbers are found out, with their place, when the requests are read.
  SqliteStatement rows(connection_,
                       "SELECT vmTypeId, count(*) FROM vm WHERE typeof(vmTypeId) IN ('integer', "
                       "'real') GROUP BY vmTypeId");
  std::map<std::int64_t, std::uint64_t> counts;
  while (rows.step()) {
    const std::int64_t type = rows.read_integer();
    counts[type] += static_cast<std::uint64_t>(rows.read_integer());
  }
  SqliteStatement any(connection_, "SELECT 1 FROM vm LIMIT 1");
  if (!any.step()) fail(kRequestTable, "there are no rows, expected requests");
  return counts;
}

void SqliteTrace::read_requests(const std::function<void(const TraceRequest&)>& take) {
  // SQLite sorts what does not fit into its cache in a temporary file.
  SqliteStatement rows(connection_,
                       "SELECT vmId, tenantId, vmTypeId, priority, starttime, endtime FROM vm "
                       "ORDER BY starttime, vmId");
  std::array<TraceValue, kRequestColumns.size()> values;
  std::array<std::string, kRequestColumns.size()> texts;
  TraceRequest request;
  while (rows.step()) {
    read_values(rows, values, texts);
    const std::string fault = read_trace_request(values, request);
    if (!fault.empty()) {
      fail(kRequestTable,
           fault.starts_with("vmId") ? fault : fmt::format("vmId {}: {}", request.id, fault));
    }
    take(request);
  }
}

/// Tells whether `file` starts like an SQLite database.
bool is_sqlite_file(const std::filesystem::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, kMagic.size()> head{};
  std::ifstream stream(file, std::ios::binary);
  return stream.read(head.data(), head.size()) &&
         std::string_view(head.data(), head.size()) == kMagic;
}

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what) {
  throw WorkloadError(fmt::format("{}: {}", file.string(), what));
}

/// Says why a file cannot be opened at all, before anything is made of its content.
void check_readable(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (!std::filesystem::exists(status)) fail(file, "cannot be read: there is no such file");
  if (std::filesystem::is_directory(status)) {
    fail(file, "cannot be read: it is a directory, expected a file");
  }
  if (!std::ifstream(file)) fail(file, "cannot be read: it cannot be opened");
}

bool is_zip_archive(const std::filesystem::path& file) {
  std::array<char, 4> head{};
  std::ifstream stream(file, std::ios::binary);
  return stream.read(head.data(), head.size()) &&
         std::string_view(head.data(), head.size()) == "PK\x03\x04";
}

}  // namespace

std::unique_ptr<PackingTrace> open_packing_trace(const std::filesystem::path& trace,
                                                 const std::filesystem::path& types) {
  check_readable(trace);
  if (is_zip_archive(trace)) {
    fail(trace,
         "is a zip archive, expected the SQLite file in it; unpack it first, for example with "
         "`python3 -m zipfile -e FILE FOLDER`");
  }
  if (is_sqlite_file(trace)) {
    if (types.empty()) return std::make_unique<SqliteTrace>(trace);
    fail(trace, "is an SQLite file with a table vmType of its own, expected no --types");
  }
  if (types.empty()) {
    fail(trace,
         "is not an SQLite file, expected one with the tables vm and vmType, or two CSV "
         "files: that of vm and --types with that of vmType");
  }
  check_readable(types);
  return std::make_unique<CsvTrace>(trace, types);
}

}  // namespace cospot
