#include "sim_harness/data/workloads/workload_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/parse_number.hpp"
#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

std::string found_text(std::string_view text) {
  return text.empty() ? "empty" : quoted_excerpt(text);
}

}  // namespace

std::optional<SimTime> parse_seconds(std::string_view text) {
  constexpr std::size_t kDecimals = 6;
  constexpr std::size_t kMostDigits = 10;  // of whole seconds; far from overflow
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  if (point == 0 || point > kMostDigits || decimals.size() > kDecimals) {
    return std::nullopt;
  }
  if (point < text.size() && decimals.empty()) return std::nullopt;
  std::int64_t microseconds = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    microseconds = 10 * microseconds + (text[i] - '0');
  }
  for (std::size_t i = decimals.size(); i < kDecimals; ++i) microseconds *= 10;
  if (microseconds > kMaxWorkloadTime.count()) return std::nullopt;
  return SimTime(negative ? -microseconds : microseconds);
}

std::optional<SimTime> parse_days(std::string_view text) {
  const std::optional<Decimal> days = Decimal::parse(text);
  return days ? days->days(kMaxWorkloadTime) : std::nullopt;
}

std::optional<ResourceAmount> parse_amount(std::string_view text, ResourceAmount least) {
  const std::optional<std::int64_t> amount = parse_whole(text);
  if (!amount || *amount < least || *amount > kMaxResourceAmount) return std::nullopt;
  return static_cast<ResourceAmount>(*amount);
}

std::string_view WorkloadFieldsReader::column_name(WorkloadColumn column) const {
  return info_->columns[static_cast<std::size_t>(column)];
}

std::string WorkloadFieldsReader::read(WorkloadFieldsView fields, WorkloadRow& row) const {
  std::string fault = read_names(fields, row);
  if (fault.empty()) fault = read_class(field(fields, WorkloadColumn::kClass), row);
  if (fault.empty()) fault = read_amounts(fields, row);
  if (fault.empty()) fault = read_times(fields, row);
  return fault;
}

std::string WorkloadFieldsReader::read_names(WorkloadFieldsView fields, WorkloadRow& row) const {
  for (const WorkloadColumn column : {WorkloadColumn::kId, WorkloadColumn::kTenant}) {
    const std::string_view text = field(fields, column);
    if (text.empty()) return fmt::format("{} is empty, expected a name", column_name(column));
    if (std::ranges::any_of(text, [](char c) { return c == ',' || c == '"'; })) {
      return fmt::format("{} is {}, expected a name without commas and quotation marks",
                         column_name(column), quoted_excerpt(text));
    }
  }
  row.id = field(fields, WorkloadColumn::kId);
  row.tenant = field(fields, WorkloadColumn::kTenant);
  return {};
}

std::string WorkloadFieldsReader::read_class(std::string_view text, WorkloadRow& row) const {
  const bool own = info_->schema == WorkloadSchema::kCospot;
  if (text == (own ? "vm" : "0")) {
    row.instance_class = InstanceClass::kVm;
  } else if (text == (own ? "spot" : "1")) {
    row.instance_class = InstanceClass::kSpot;
  } else if (own && text == "economy" && classes_ == WorkloadClasses::kWithEconomy) {
    row.instance_class = InstanceClass::kEconomy;
  } else if (own && text == "economy") {
    return fmt::format("{} is 'economy', which only the study levels knows; expected vm or spot",
                       column_name(WorkloadColumn::kClass));
  } else {
    return fmt::format("{} is {}, expected {}", column_name(WorkloadColumn::kClass),
                       quoted_excerpt(text), own ? "vm or spot" : "a priority: 0 (VM) or 1 (spot)");
  }
  return {};
}

std::string WorkloadFieldsReader::read_amounts(WorkloadFieldsView fields, WorkloadRow& row) const {
  const auto read = [&](WorkloadColumn column, ResourceAmount least, ResourceAmount& amount) {
    const std::optional<ResourceAmount> found = parse_amount(field(fields, column), least);
    if (found) amount = *found;
    return found
               ? std::string()
               : fmt::format("{} is {}, expected a whole number from {} to {}", column_name(column),
                             found_text(field(fields, column)), least, kMaxResourceAmount);
  };
  ResourceVector& amounts = row.resources;
  std::string fault = read(WorkloadColumn::kVcpus, 1, amounts.vcpus);
  if (fault.empty()) fault = read(WorkloadColumn::kMemoryMb, 0, amounts.memory_mb);
  // A file without the column leaves the field without an address, unlike an empty field.
  const bool has_disk = field(fields, WorkloadColumn::kDiskGb).data() != nullptr;
  if (fault.empty() && has_disk) fault = read(WorkloadColumn::kDiskGb, 0, amounts.disk_gb);
  return fault;
}

bool WorkloadFieldsReader::is_never(std::string_view text) const {
  if (info_->schema == WorkloadSchema::kSocc22) return text == "inf";
  return text.empty() || text == "never";
}

std::optional<SimTime> WorkloadFieldsReader::read_time(std::string_view text) const {
  return info_->schema == WorkloadSchema::kSocc22 ? parse_days(text) : parse_seconds(text);
}

std::string WorkloadFieldsReader::read_times(WorkloadFieldsView fields, WorkloadRow& row) const {
  const bool own = info_->schema == WorkloadSchema::kCospot;
  const std::string_view valid = own ? "seconds with up to 6 decimals, from -864000000 to 864000000"
                                     : "days from -10000 to 10000";
  const std::string_view start = field(fields, WorkloadColumn::kStart);
  const std::string_view end = field(fields, WorkloadColumn::kEnd);
  if (const std::optional<SimTime> time = read_time(start)) {
    row.start = *time;
  } else {
    return fmt::format("{} is {}, expected {}", column_name(WorkloadColumn::kStart),
                       found_text(start), valid);
  }
  if (is_never(end)) {
    row.end = kNever;
  } else if (const std::optional<SimTime> time = read_time(end)) {
    row.end = *time;
  } else {
    return fmt::format("{} is {}, expected {}, or {} when it never ended",
                       column_name(WorkloadColumn::kEnd), found_text(end), valid,
                       own ? "never" : "inf");
  }
  if (row.end < row.start) {
    return fmt::format("{} {} is before {} {}", column_name(WorkloadColumn::kEnd),
                       quoted_excerpt(end), column_name(WorkloadColumn::kStart),
                       quoted_excerpt(start));
  }
  return {};
}

}  // namespace cospot
