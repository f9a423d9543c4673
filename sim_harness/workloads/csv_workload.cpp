#include "sim_harness/workloads/csv_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/files/gzip.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/files/stored_file.hpp"
#include "sim_harness/interrupt/stop_token.hpp"
#include "sim_harness/workloads/placement_fields.hpp"
#include "sim_harness/workloads/vcpus_unit.hpp"
#include "sim_harness/workloads/window.hpp"
#include "sim_harness/workloads/workload_fields.hpp"
#include "sim_harness/workloads/workload_schema.hpp"

namespace cospot {
namespace {

using Columns = std::vector<WorkloadColumn>;

[[noreturn]] void fail(std::string_view file, std::size_t line, std::string_view what) {
  throw WorkloadError(fmt::format("{}:{}: {}", file, line, what));
}

std::size_t line_at(std::string_view text, std::size_t position) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

/// Writes the fields of `line` to `fields` as far as they go; returns how many the line has.
std::size_t split(std::string_view line, std::span<std::string_view> fields) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t comma = line.find(',');
    if (count < fields.size()) fields[count] = line.substr(0, comma);
    ++count;
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
}

/// What stands before the rows.
struct Preamble {
  std::vector<std::string_view> names{};  ///< of the columns
  std::size_t header_line = 1;            ///< where they stand
  std::optional<SimTime> window{};        ///< as the file states it
  std::size_t window_line = 0;            ///< where it does
  std::optional<VcpusUnit> unit{};        ///< as the file states it
  std::size_t unit_line = 0;              ///< where it does
};

/// The schema that knows the most of the header's names, or an error when none knows any.
const WorkloadSchemaInfo& recognise(const Preamble& preamble, std::string_view file) {
  const std::vector<std::string_view>& names = preamble.names;
  const WorkloadSchemaInfo* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const WorkloadSchemaInfo& info : kWorkloadSchemas) {
    const auto known = std::count_if(names.begin(), names.end(), [&](std::string_view name) {
      return !name.empty() && std::ranges::find(info.columns, name) != info.columns.end();
    });
    if (known > most) {
      most = known;
      best = &info;
    }
  }
  if (best != nullptr) return *best;
  fail(file, preamble.header_line,
       fmt::format("the header line is not that of a workload, expected the columns {} or {}",
                   kWorkloadSchemas[0].header, kWorkloadSchemas[1].header));
}

/// What each field of a row means, from the names in the header line.
Columns read_header(const Preamble& preamble, const WorkloadSchemaInfo& info,
                    std::string_view file) {
  const std::size_t line = preamble.header_line;
  Columns columns;
  for (const std::string_view name : preamble.names) {
    const auto found = name.empty() ? info.columns.end() : std::ranges::find(info.columns, name);
    if (found == info.columns.end()) {
      fail(file, line,
           fmt::format("unknown column {}, expected {}", quoted_excerpt(name), info.header));
    }
    const auto column = static_cast<WorkloadColumn>(found - info.columns.begin());
    if (std::ranges::find(columns, column) != columns.end()) {
      fail(file, line, fmt::format("the column '{}' comes twice", name));
    }
    columns.push_back(column);
  }
  for (std::size_t i = 0; i < kWorkloadColumns; ++i) {
    const auto column = static_cast<WorkloadColumn>(i);
    if (info.columns[i].empty() || may_be_left_out(column)) continue;
    if (std::ranges::find(columns, column) == columns.end()) {
      fail(file, line,
           fmt::format("the column '{}' is missing, expected {}", info.columns[i], info.header));
    }
  }
  return columns;
}

/// Reads the rows after the header line.
class RowReader {
 public:
  RowReader(std::string_view file, const WorkloadSchemaInfo& info, Columns columns,
            WorkloadClasses classes)
      : file_(file),
        fields_reader_(info, classes),
        columns_(std::move(columns)),
        with_placements_(std::ranges::any_of(columns_, is_placement)) {}

  /// `first_line` is where `text` begins in the file.
  std::vector<WorkloadRow> read_all(std::string_view text, std::size_t first_line) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    std::vector<WorkloadRow> rows;
    rows.reserve(lines);
    line_of_id_.reserve(lines);
    StopPoll poll;
    for (std::size_t line = first_line; !text.empty(); ++line) {
      poll.check();
      rows.push_back(read_row(take_line(text), line));
    }
    return rows;
  }

  /// What the rows asked for.
  [[nodiscard]] WorkloadPlacements take_placements() { return placements_.take(); }

 private:
  WorkloadRow read_row(std::string_view text, std::size_t line) {
    std::array<std::string_view, kWorkloadColumns> found{};
    const std::size_t count = split(text, found);
    if (count != columns_.size()) {
      fail(file_, line,
           fmt::format("{} fields, expected {} as in the header line", text.empty() ? 0 : count,
                       columns_.size()));
    }
    WorkloadFields fields;
    for (std::size_t i = 0; i < count; ++i) {
      fields[static_cast<std::size_t>(columns_[i])] = found[i];
    }
    WorkloadRow row;
    if (const std::string fault = fields_reader_.read(fields, row); !fault.empty()) {
      fail(file_, line, fault);
    }
    if (with_placements_) {
      const std::string fault = placements_.read(fields, row);
      if (!fault.empty()) fail(file_, line, fault);
    }
    const std::string_view id = fields[static_cast<std::size_t>(WorkloadColumn::kId)];
    if (const auto [first, is_new] = line_of_id_.emplace(id, line); !is_new) {
      fail(file_, line,
           fmt::format("the id {} is that of line {} too, expected unique ids", quoted_excerpt(id),
                       first->second));
    }
    return row;
  }

  std::string_view file_;
  WorkloadFieldsReader fields_reader_;
  PlacementFieldsReader placements_;
  Columns columns_;
  bool with_placements_;  // the file says what requests ask beside room
  std::unordered_map<std::string_view, std::size_t> line_of_id_;  // never iterated
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

[[noreturn]] void fail_stated(std::string_view file, std::size_t number, std::string_view name,
                              std::string_view value, std::string_view expected) {
  fail(file, number, fmt::format("{} is {}, expected {}", name, quoted_excerpt(value), expected));
}

/// Reads a line such as `# window_days: 30`, what a file states of itself before its header line.
void read_statement(std::string_view line, std::size_t number, std::string_view file,
                    Preamble& preamble) {
  const std::string_view statement = trimmed(line.substr(1));
  const std::size_t colon = statement.find(':');
  const std::string_view name = trimmed(statement.substr(0, std::min(colon, statement.size())));
  const bool is_window = name == "window_days";
  if (colon == std::string_view::npos || (!is_window && name != "vcpus_unit")) {
    fail(file, number,
         fmt::format("found {}, expected the header line, or '# window_days: 30' before it",
                     quoted_excerpt(line)));
  }
  std::size_t& stated_line = is_window ? preamble.window_line : preamble.unit_line;
  if (stated_line != 0) {
    fail(file, number, fmt::format("{} is stated on line {} too", name, stated_line));
  }
  stated_line = number;
  const std::string_view value = trimmed(statement.substr(colon + 1));
  if (is_window) {
    preamble.window = parse_window_days(value);
    if (!preamble.window) fail_stated(file, number, name, value, kWindowDaysExpected);
  } else {
    preamble.unit = parse_vcpus_unit(value);
    if (!preamble.unit) fail_stated(file, number, name, value, kVcpusUnitExpected);
  }
}

/// Takes the header line off `text`, what stands before it, and what is around the lines.
Preamble take_preamble(std::string_view& text, std::string_view file) {
  text = without_byte_order_mark(text);
  if (const std::size_t at = find_non_text(text); at != std::string_view::npos) {
    fail(file, line_at(text, at),
         fmt::format("byte 0x{:02x} is not text, expected CSV in UTF-8, plain or gzip",
                     static_cast<unsigned char>(text[at])));
  }
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) fail(file, 1, "the file is empty, expected a header line and requests");
  Preamble preamble;
  while (text.starts_with('#')) {
    read_statement(take_line(text), preamble.header_line++, file, preamble);
  }
  if (text.empty()) {
    fail(file, preamble.header_line, "the file ends here, expected a header line and requests");
  }
  preamble.names = split_fields(take_line(text));
  return preamble;
}

/// The schema, which has a place for what the file states.
const WorkloadSchemaInfo& schema_of(const Preamble& preamble, std::string_view file) {
  const WorkloadSchemaInfo& info = recognise(preamble, file);
  if (preamble.window.has_value() && info.schema == WorkloadSchema::kSocc22) {
    fail(file, preamble.window_line,
         "the schema socc22 has no window_days; state it in the sweep file or with --window-days");
  }
  if (preamble.unit.has_value() && info.schema == WorkloadSchema::kSocc22) {
    fail(file, preamble.unit_line, "the schema socc22 has no vcpus_unit: its sizes are relative");
  }
  return info;
}

/// Fills rows and window.
void parse_content(std::string_view text, std::string_view file, WorkloadClasses classes,
                   Workload& workload) {
  const Preamble preamble = take_preamble(text, file);
  const WorkloadSchemaInfo& info = schema_of(preamble, file);
  Columns columns = read_header(preamble, info, file);
  if (text.empty()) {
    fail(file, preamble.header_line, "the file has a header line but no requests");
  }
  RowReader reader(file, info, std::move(columns), classes);
  workload.rows = reader.read_all(text, preamble.header_line + 1);
  workload.placements = reader.take_placements();
  workload.window = derive_window(workload.rows);
  state_window(workload, preamble.window);
}

/// The text of a file with these bytes.
std::string unpack(std::string bytes, std::string_view file) {
  if (!is_gzip(bytes)) return bytes;
  Unpacked unpacked = unpack_gzip(bytes);
  if (!unpacked.fault.empty()) {
    fail(file, line_at(unpacked.text, unpacked.text.size()), unpacked.fault);
  }
  return std::move(unpacked.text);
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
  parse_content(unpack(std::move(bytes), workload.name), workload.name, classes, workload);
  return workload;
}

WorkloadSchema read_workload_schema(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string unpacked = unpack(read_stored_file(path), file);
  std::string_view text = unpacked;
  return schema_of(take_preamble(text, file), file).schema;
}

VcpusUnit read_vcpus_unit(const std::filesystem::path& path) {
  const std::string file = path.string();
  LineReader reader(path);
  std::string_view line;
  std::string start;
  while (reader.next_bytes(line)) {
    if (start.empty()) line = without_byte_order_mark(line);
    if (!line.starts_with('#')) break;
    start += std::string(line) + "\n";
  }
  start += line;
  std::string_view text = start;
  const Preamble preamble = take_preamble(text, file);
  // The release counts in units of its authors' solution, and has no line that could say so.
  const bool is_release = schema_of(preamble, file).schema == WorkloadSchema::kSocc22;
  return preamble.unit.value_or(VcpusUnit{.is_relative = is_release});
}

}  // namespace cospot
