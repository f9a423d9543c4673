#include "sim_harness/workloads/workload_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim_harness/files/decimal.hpp"
#include "sim_harness/files/plain_text.hpp"

namespace cospot {
namespace {

std::string_view field(const WorkloadFields& fields, WorkloadColumn column) {
  return fields[static_cast<std::size_t>(column)];
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

bool parse_seconds(std::string_view text, SimTime& time) {
  constexpr std::size_t kDecimals = 6;
  constexpr std::size_t kMostDigits = 10;  // of whole seconds; far from overflow
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  if (point == 0 || point > kMostDigits || decimals.size() > kDecimals) return false;
  if (point < text.size() && decimals.empty()) return false;
  std::int64_t microseconds = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (text[i] < '0' || text[i] > '9') return false;
    microseconds = 10 * microseconds + (text[i] - '0');
  }
  for (std::size_t i = decimals.size(); i < kDecimals; ++i) microseconds *= 10;
  if (microseconds > kMaxWorkloadTime.count()) return false;
  time = SimTime(negative ? -microseconds : microseconds);
  return true;
}

bool parse_days(std::string_view text, SimTime& time) {
  const std::optional<Decimal> days = Decimal::parse(text);
  const std::optional<SimTime> found = days ? days->days(kMaxWorkloadTime) : std::nullopt;
  if (found) time = *found;
  return found.has_value();
}

bool parse_amount(std::string_view text, ResourceAmount least, ResourceAmount& amount) {
  double value = 0;
  if (!parse_number(text, value)) return false;
  if (!(value >= least && value <= kMaxResourceAmount) || value != std::floor(value)) return false;
  amount = static_cast<ResourceAmount>(value);
  return true;
}

std::string_view WorkloadFieldsReader::column_name(WorkloadColumn column) const {
  return info_->columns[static_cast<std::size_t>(column)];
}

std::string WorkloadFieldsReader::read(const WorkloadFields& fields, WorkloadRow& row) const {
  std::string fault = read_names(fields, row);
  if (fault.empty()) fault = read_class(field(fields, WorkloadColumn::kClass), row);
  if (fault.empty()) fault = read_amounts(fields, row);
  if (fault.empty()) fault = read_times(fields, row);
  return fault;
}

std::string WorkloadFieldsReader::read_names(const WorkloadFields& fields, WorkloadRow& row) const {
  for (const WorkloadColumn column : {WorkloadColumn::kId, WorkloadColumn::kTenant}) {
    const std::string_view text = field(fields, column);
    if (text.empty()) return fmt::format("{} is empty, expected a name", column_name(column));
    if (text.find('"') != std::string_view::npos) {
      return fmt::format("{} is {}, expected a name without quotation marks", column_name(column),
                         quoted_excerpt(text));
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

std::string WorkloadFieldsReader::read_amounts(const WorkloadFields& fields,
                                               WorkloadRow& row) const {
  const auto fault = [&](WorkloadColumn column, ResourceAmount least) {
    return fmt::format("{} is {}, expected a whole number from {} to {}", column_name(column),
                       quoted_excerpt(field(fields, column)), least, kMaxResourceAmount);
  };
  ResourceVector& amounts = row.resources;
  if (!parse_amount(field(fields, WorkloadColumn::kVcpus), 1, amounts.vcpus)) {
    return fault(WorkloadColumn::kVcpus, 1);
  }
  if (!parse_amount(field(fields, WorkloadColumn::kMemoryMb), 0, amounts.memory_mb)) {
    return fault(WorkloadColumn::kMemoryMb, 0);
  }
  const std::string_view disk = field(fields, WorkloadColumn::kDiskGb);
  // A file without the column leaves the field without an address, unlike an empty field.
  if (disk.data() != nullptr && !parse_amount(disk, 0, amounts.disk_gb)) {
    return fault(WorkloadColumn::kDiskGb, 0);
  }
  return {};
}

bool WorkloadFieldsReader::is_never(std::string_view text) const {
  if (info_->schema == WorkloadSchema::kSocc22) return text == "inf";
  return text.empty() || text == "never";
}

bool WorkloadFieldsReader::read_time(std::string_view text, SimTime& time) const {
  return info_->schema == WorkloadSchema::kSocc22 ? parse_days(text, time)
                                                  : parse_seconds(text, time);
}

std::string WorkloadFieldsReader::read_times(const WorkloadFields& fields, WorkloadRow& row) const {
  const bool own = info_->schema == WorkloadSchema::kCospot;
  const std::string_view valid = own ? "seconds with up to 6 decimals, from -864000000 to 864000000"
                                     : "days from -10000 to 10000";
  const std::string_view start = field(fields, WorkloadColumn::kStart);
  const std::string_view end = field(fields, WorkloadColumn::kEnd);
  if (!read_time(start, row.start)) {
    return fmt::format("{} is {}, expected {}", column_name(WorkloadColumn::kStart),
                       quoted_excerpt(start), valid);
  }
  row.end = kNever;
  if (!is_never(end) && !read_time(end, row.end)) {
    return fmt::format("{} is {}, expected {}, or {} when it never ended",
                       column_name(WorkloadColumn::kEnd), quoted_excerpt(end), valid,
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
