#include "sim_harness/data/usage/usage_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

enum Column : std::size_t { kTime, kCapacity, kUsed, kReserved, kLimit };
constexpr std::array<TableColumn, 5> kColumns{
    {{"time_s"}, {"capacity"}, {"used"}, {"reserved", false}, {"limit", false}}};
constexpr TableFormat kFormat{.columns = kColumns, .rows = "samples"};

/// A number of seconds, or a date as `cospot workload import` reads it.
std::optional<SimTime> parse_sample_time(std::string_view text, const TimeZone& zone) {
  constexpr double kMostSeconds = 1e11;  // the year 5138, counted from 1970
  const std::optional<double> seconds = parse_number(text);
  if (!seconds) return parse_date_time(text, zone);
  if (std::abs(*seconds) > kMostSeconds) return std::nullopt;
  return SimTime(std::llround(*seconds * 1e6));
}

/// In millionths.
std::int64_t read_amount(const TableReader& table, Column column, double least = 0) {
  constexpr double kMost = static_cast<double>(kMaxSlackAmount) / kSlackUnit;
  return std::llround(table.number(column, least, kMost) * static_cast<double>(kSlackUnit));
}

}  // namespace

UsageSeries read_usage(const std::filesystem::path& file, const TimeZone& zone) {
  UsageSeries usage{.name = file.string(), .sha256 = sha256_hex(read_stored_file(file))};
  TableReader table(file, kFormat);
  SeriesSpan span;
  while (table.next()) {
    const SimTime time = table.value(
        kTime, [&zone](std::string_view text) { return parse_sample_time(text, zone); },
        "a time in seconds, or a date such as 2024-05-01T12:00:00Z");
    if (!usage.samples.empty() && time <= usage.samples.back().time) {
      table.refuse(kTime, "a time after that of the row before");
    }
    span.take(table, kTime, time);
    UsageSample sample{.time = time,
                       .capacity = read_amount(table, kCapacity, 1e-6),
                       .used = read_amount(table, kUsed)};
    if (table.has(kReserved)) sample.reserved = read_amount(table, kReserved);
    if (table.has(kLimit)) sample.limit = read_amount(table, kLimit);
    usage.samples.push_back(sample);
  }
  if (usage.samples.size() < 2) {
    throw WorkloadError(fmt::format("{}: there are {} samples, expected at least 2", usage.name,
                                    usage.samples.size()));
  }
  return usage;
}

bool is_usage_file(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    if (line.empty() || line.starts_with('#')) continue;
    for (std::string_view rest = line; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      // One is enough: whoever calls the time differently learns which columns are expected.
      for (const Column column : {kTime, kCapacity, kUsed}) {
        if (without_blanks(name) == kColumns[column].name) return true;
      }
    }
    return false;
  }
  return false;
}

}  // namespace cospot
