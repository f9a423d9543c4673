#include "sim_harness/data/markets/price_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/json/json_file.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

constexpr double kMaxUsd = 1e6;
/// Times before it are seconds of an origin of their own.
constexpr Seconds kYear2001 = 978'307'200;

/// Sorts, drops what is there twice, and gives the time at which there are two prices, if any.
std::optional<Seconds> repair(std::vector<PriceChange>& changes) {
  std::sort(changes.begin(), changes.end(), [](const PriceChange& a, const PriceChange& b) {
    return std::tie(a.time, a.price) < std::tie(b.time, b.price);
  });
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  for (std::size_t i = 1; i < changes.size(); ++i) {
    if (changes[i].time == changes[i - 1].time) return changes[i].time;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Seconds> parse_time(std::string_view text) {
  if (const auto number = parse_number(text)) {
    if (!(std::abs(*number) < 1e11)) return std::nullopt;
    return static_cast<Seconds>(std::floor(*number));
  }
  const std::optional<SimTime> date = parse_date_time(text);
  if (!date) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*date).count();
}

std::optional<MicroUsd> parse_price(std::string_view text) {
  const auto usd = parse_number(text);
  if (!usd || !(*usd > 0 && *usd <= kMaxUsd)) return std::nullopt;
  return std::max<MicroUsd>(1, std::llround(*usd * static_cast<double>(kUsd)));
}

std::string price_time_text(Seconds time) {
  if (time < kYear2001) return fmt::format("day {:g}", static_cast<double>(time) / 86'400);
  const std::chrono::sys_seconds at{std::chrono::seconds(time)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string doubted_time_text(Seconds time) {
  if (time < kYear2001) return fmt::format("time {}", time);
  return fmt::format("{} (time {}); dates in an hour that clocks repeat need their offset",
                     price_time_text(time), time);
}

std::vector<PriceChange> read_price_csv(const std::filesystem::path& file) {
  constexpr std::array<TableColumn, 2> kPriceColumns{{{"time"}, {"price"}}};
  TableReader table(file, {.columns = kPriceColumns, .rows = "prices"});
  std::vector<PriceChange> changes;
  SeriesSpan span;
  while (table.next()) {
    const Seconds time = table.value(0, parse_time, kTimeExpected);
    span.take(table, 0, SimTime(std::chrono::seconds(time)));
    changes.push_back({time, table.value(1, parse_price, kPriceExpected)});
  }
  if (const auto twice = repair(changes)) {
    throw WorkloadError(fmt::format("{}: has two different prices at {}", file.string(),
                                    doubted_time_text(*twice)));
  }
  return changes;
}

std::vector<Ec2Prices> read_ec2_prices(const std::filesystem::path& path) {
  JsonFile file(path);
  SqliteStatement rows = file.select(
      "SELECT json_extract(value, '$.InstanceType'), json_extract(value, '$.ProductDescription'), "
      "json_extract(value, '$.AvailabilityZone'), json_extract(value, '$.Timestamp'), "
      "json_extract(value, '$.SpotPrice') FROM json_each(?1, iif(json_type(?1) = 'array', '$', "
      "'$.SpotPriceHistory'))");
  std::map<std::array<std::string, 3>, std::vector<PriceChange>> series;
  SeriesSpan span;
  Seconds end = std::numeric_limits<Seconds>::min();
  std::size_t row = 0;
  while (rows.step()) {
    std::array<std::string, 5> fields;
    for (std::string& field : fields) field = rows.next_is_null() ? "" : rows.read_text();
    const auto time = parse_time(fields[3]);
    const auto price = parse_price(fields[4]);
    if (fields[0].empty() || fields[2].empty() || !time || !price) {
      file.fail(
          fmt::format("SpotPriceHistory: entry {}: expected InstanceType, AvailabilityZone, "
                      "Timestamp (ISO 8601) and SpotPrice (above 0)",
                      row));
    }
    if (!span.take(SimTime(std::chrono::seconds(*time)))) {
      file.fail(fmt::format("SpotPriceHistory: entry {}: Timestamp is {}, expected {}", row,
                            quoted_excerpt(fields[3]), SeriesSpan::kExpected));
    }
    end = std::max(end, *time);
    series[{fields[0], fields[1], fields[2]}].push_back({*time, *price});
    ++row;
  }
  if (series.empty()) file.fail("SpotPriceHistory: expected at least one price");
  std::vector<Ec2Prices> all;
  for (auto& [names, changes] : series) {
    if (const auto twice = repair(changes)) {
      file.fail(
          fmt::format("{} in {} has two different prices at time {}", names[0], names[2], *twice));
    }
    all.push_back({names[0], names[1], names[2], std::move(changes), end});
  }
  return all;
}

}  // namespace cospot
