#include "sim_harness/data/workloads/workload_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/placement_fields.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

/// Refuses what a reader of the file would refuse or misunderstand.
void check_row(const WorkloadRow& row, WorkloadSchema schema) {
  const auto fail = [&](std::string_view what) {
    throw WorkloadError(
        fmt::format("the request {} cannot be written: {}", quoted_excerpt(row.id), what));
  };
  for (const std::string& name : {row.id, row.tenant}) {
    if (name.empty() || name.find_first_of(",\"\r\n") != std::string::npos ||
        find_non_text(name) != std::string::npos) {
      fail("expected ids and tenants of UTF-8 text without commas, quotation marks and line ends");
    }
  }
  const ResourceVector& amounts = row.resources;
  const ResourceVector least{.vcpus = 1};
  const ResourceVector most{kMaxResourceAmount, kMaxResourceAmount, kMaxResourceAmount};
  if (!least.fits_in(amounts) || !amounts.fits_in(most)) {
    fail("expected at least 1 vcpu and no negative amount, each at most 67108864");
  }
  const bool in_range = row.start >= -kMaxWorkloadTime && row.start <= kMaxWorkloadTime &&
                        (row.end <= kMaxWorkloadTime || row.end == kNever);
  if (!in_range || row.end < row.start) fail("expected start <= end, both within 10,000 days");
  if (schema == WorkloadSchema::kSocc22 && row.resources.disk_gb != 0) {
    fail("the schema socc22 has no column for its disk_gb, expected 0");
  }
}

/// The shortest decimal number of days that reads back as `time`.
std::string days_text(SimTime time) {
  if (time == kNever) return "inf";
  std::array<char, 32> text{};
  const double days = static_cast<double>(time.count()) / kMicrosecondsPerDay;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), days).ptr};
}

const char* class_name(const WorkloadRow& row) {
  if (row.instance_class == InstanceClass::kEconomy) return "economy";
  return row.is_spot() ? "spot" : "vm";
}

void append_own(std::string& text, const WorkloadRow& row) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", row.id, row.tenant,
                 class_name(row), row.resources.vcpus, row.resources.memory_mb,
                 row.resources.disk_gb, seconds_text(row.start), seconds_text(row.end));
}

void append_release(std::string& text, const WorkloadRow& row) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", row.id, row.tenant,
                 row.resources.vcpus, row.resources.memory_mb, row.is_spot() ? 1 : 0,
                 days_text(row.start), days_text(row.end));
}

/// The line that states what one of the vcpus is; empty where a reader takes it for that anyway.
std::string unit_line(const VcpusUnit& unit, WorkloadSchema schema) {
  if (schema == WorkloadSchema::kSocc22 || unit == VcpusUnit{}) return {};
  return fmt::format("# vcpus_unit: {}\n", vcpus_unit_text(unit));
}

/// The line that states the window; empty where a reader derives the same one without it.
std::string window_line(const Workload& workload, WorkloadSchema schema) {
  const SimTime derived = derive_window(workload.rows);
  if (workload.window == derived) return {};
  if (schema == WorkloadSchema::kSocc22) {
    throw WorkloadError(fmt::format(
        "the schema socc22 has no place for the window of {} days, expected the one that is "
        "derived from the requests; give --window-days {}, or write the schema cospot",
        window_days_text(workload.window), window_days_text(derived)));
  }
  return fmt::format("# window_days: {}\n", window_days_text(workload.window));
}

}  // namespace

std::string format_workload(const Workload& workload, WorkloadSchema schema,
                            const VcpusUnit& unit) {
  std::string text = window_line(workload, schema) + unit_line(unit, schema);
  text += kWorkloadSchemas[static_cast<std::size_t>(schema)].header;
  const bool with_placements = !workload.placements.empty();
  if (with_placements && schema == WorkloadSchema::kSocc22) {
    throw WorkloadError(
        "the schema socc22 has no columns for zones, extra specs and server groups; write the "
        "schema cospot");
  }
  if (with_placements) text += kPlacementColumns;
  text += '\n';
  StopPoll poll;
  for (const WorkloadRow& row : workload.rows) {
    poll.check();
    append_workload_row(text, row, schema);
    if (!with_placements) continue;
    text.pop_back();  // the end of the line
    text += placement_fields(row, workload.placements) + '\n';
  }
  return text;
}

std::string workload_statements(SimTime window, const VcpusUnit& unit) {
  return fmt::format("# window_days: {}\n{}", window_days_text(window),
                     unit_line(unit, WorkloadSchema::kCospot));
}

void append_workload_row(std::string& text, const WorkloadRow& row, WorkloadSchema schema) {
  check_row(row, schema);
  schema == WorkloadSchema::kCospot ? append_own(text, row) : append_release(text, row);
}

void write_workload(const Workload& workload, const std::filesystem::path& path,
                    WorkloadSchema schema, const VcpusUnit& unit) {
  if (workload.rows.empty()) {
    throw WorkloadError(
        fmt::format("{}: not written: the workload has no requests", path.string()));
  }
  write_stored_text(path, format_workload(workload, schema, unit));
}

WorkloadSchema find_workload_schema(std::string_view name) {
  std::string valid;
  for (const WorkloadSchemaInfo& info : kWorkloadSchemas) {
    if (info.name == name) return info.schema;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", info.name);
  }
  throw ConfigError(
      fmt::format("unknown workload schema {}, expected {}", quoted_excerpt(name), valid));
}

}  // namespace cospot
