#include "sim_harness/data/workloads/csv_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/digest.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/placement_fields.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {
namespace {

using SchemaColumns = std::array<TableColumn, kWorkloadColumns>;

constexpr SchemaColumns columns_of(const WorkloadSchemaInfo& info) {
  SchemaColumns columns;
  for (std::size_t i = 0; i < kWorkloadColumns; ++i) {
    columns[i] = {.name = info.columns[i],
                  .is_required = !may_be_left_out(static_cast<WorkloadColumn>(i))};
  }
  return columns;
}

constexpr std::string_view kWindowKey = "window_days";
constexpr std::string_view kUnitKey = "vcpus_unit";
constexpr std::array<std::string_view, 2> kStatements{kWindowKey, kUnitKey};
constexpr std::array<SchemaColumns, 2> kColumns{columns_of(kWorkloadSchemas[0]),
                                                columns_of(kWorkloadSchemas[1])};
/// Like kWorkloadSchemas.
constexpr std::array<TableFormat, 2> kFormats{
    {{.columns = kColumns[0],
      .rows = "requests",
      .statements = kStatements,
      .other_file = "; `cospot workload import` makes a workload of another table"},
     {.columns = kColumns[1], .rows = "requests"}}};

/// The statements of a file before its header line.
struct Statements {
  std::optional<SimTime> window{};
  std::optional<VcpusUnit> unit{};
};

template <class Parse>
auto read_statement(const TableReader& table, std::string_view key, const Parse& parse,
                    std::string_view expected, std::string_view of_release)
    -> decltype(parse(key)) {
  const TableStatement* statement = table.statement(key);
  if (statement == nullptr) return std::nullopt;
  const auto value = parse(statement->value);
  if (!value) {
    table.fail_at(statement->line, fmt::format("{} is {}, expected {}", key,
                                               quoted_excerpt(statement->value), expected));
  }
  if (kWorkloadSchemas[table.format_index()].schema == WorkloadSchema::kSocc22) {
    table.fail_at(statement->line, fmt::format("the schema socc22 has no {}", of_release));
  }
  return value;
}

Statements read_statements(const TableReader& table) {
  return {.window = read_statement(table, kWindowKey, parse_window_days, kWindowDaysExpected,
                                   "window_days; state it in the study file or with --window-days"),
          .unit = read_statement(table, kUnitKey, parse_vcpus_unit, kVcpusUnitExpected,
                                 "vcpus_unit: its sizes are relative")};
}

/// The fields of such a column are written without quotes.
void check_placement(const TableReader& table) {
  for (std::size_t i = 0; i < kWorkloadColumns; ++i) {
    if (is_placement(static_cast<WorkloadColumn>(i))) (void)table.plain(i);
  }
}

bool has_placements(const TableReader& table) {
  for (std::size_t i = 0; i < kWorkloadColumns; ++i) {
    if (is_placement(static_cast<WorkloadColumn>(i)) && table.has(i)) return true;
  }
  return false;
}

/// Fills rows and placements.
void read_rows(TableReader& table, WorkloadClasses classes, Workload& workload) {
  const WorkloadFieldsReader reader(kWorkloadSchemas[table.format_index()], classes);
  const bool with_placements = has_placements(table);
  PlacementFieldsReader placements;
  // The keys are views of the text, as ids hold no quotation mark. Never iterated.
  std::unordered_map<std::string_view, std::size_t> line_of_id;
  const std::size_t most_rows = table.most_rows_left();
  workload.rows.reserve(most_rows);
  line_of_id.reserve(most_rows);
  while (table.next()) {
    const WorkloadFieldsView fields = table.fields().first<kWorkloadColumns>();
    WorkloadRow& row = workload.rows.emplace_back();
    if (const std::string fault = reader.read(fields, row); !fault.empty()) table.fail(fault);
    if (with_placements) {
      check_placement(table);
      if (const std::string fault = placements.read(fields, row); !fault.empty()) table.fail(fault);
    }
    const std::string_view id = fields[static_cast<std::size_t>(WorkloadColumn::kId)];
    if (const auto [first, is_new] = line_of_id.emplace(id, table.line_number()); !is_new) {
      table.fail(fmt::format("the id {} is that of line {} too, expected unique ids",
                             quoted_excerpt(id), first->second));
    }
  }
  workload.placements = placements.take();
}

/// Fills rows and window.
void parse_content(std::string_view text, std::string_view file, WorkloadClasses classes,
                   Workload& workload) {
  TableReader table(text, file, kFormats);
  const Statements stated = read_statements(table);
  read_rows(table, classes, workload);
  workload.window = derive_window(workload.rows);
  state_window(workload, stated.window);
}

}  // namespace

Workload parse_workload(std::string_view text, std::string_view name) {
  Workload workload{.name = std::string(name), .sha256 = sha256_hex(text)};
  parse_content(text, name, WorkloadClasses::kVmsAndSpots, workload);
  return workload;
}

Workload read_workload(const std::filesystem::path& path) {
  return read_workload(path, WorkloadClasses::kVmsAndSpots);
}

Workload read_workload(const std::filesystem::path& path, WorkloadClasses classes) {
  std::string bytes = read_stored_file(path);
  Workload workload{.name = path.string(), .sha256 = sha256_hex(bytes)};
  parse_content(unpacked_text(std::move(bytes), workload.name), workload.name, classes, workload);
  return workload;
}

WorkloadSchema read_workload_schema(const std::filesystem::path& path) {
  const TableReader table(path, kFormats);
  (void)read_statements(table);
  return kWorkloadSchemas[table.format_index()].schema;
}

VcpusUnit read_vcpus_unit(const std::filesystem::path& path) {
  const TableReader table(path, kFormats);
  // The release counts in units of its authors' solution, and has no line that could say so.
  const bool is_release = kWorkloadSchemas[table.format_index()].schema == WorkloadSchema::kSocc22;
  return read_statements(table).unit.value_or(VcpusUnit{.is_relative = is_release});
}

}  // namespace cospot
