#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/price_files.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

/// From a time on.
struct Row {
  Seconds time = 0;
  std::uint32_t capacity = 0;
  std::optional<MicroUsd> price{};

  // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
  friend auto operator<=>(const Row&, const Row&) = default;
};

enum Column : std::size_t { kTime, kAvailable, kPrice, kCurrency, kType };
constexpr std::array<TableColumn, 5> kColumns{
    {{"time"}, {"available"}, {"price", false}, {"currency", false}, {"type", false}}};
constexpr TableFormat kFormat{.columns = kColumns, .has_other_columns = true};

/// The rows of one type, if the file has the column. What they say lasts until the file's last row,
/// of whatever type: a type whose availability did not change has no more rows.
struct Series {
  std::vector<Row> rows;
  Seconds end = std::numeric_limits<Seconds>::min();
};

Series read_series(const std::filesystem::path& file, std::string_view type) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  TableReader table(file, kFormat);
  SeriesSpan span;
  Series series;
  std::vector<Row>& rows = series.rows;
  while (table.next()) {
    const Seconds time = table.value(kTime, parse_time, kTimeExpected);
    span.take(table, kTime, SimTime(std::chrono::seconds(time)));
    series.end = std::max(series.end, time);
    if (table.has(kType) && !type.empty() && table.field(kType) != type) continue;
    // Bids, list prices and costs are all in USD.
    if (!table.is_empty(kCurrency) && table.field(kCurrency) != "USD") {
      table.refuse(kCurrency, "USD: convert the prices, or remove the columns price and currency");
    }
    Row& row = rows.emplace_back();
    row.time = time;
    row.capacity = static_cast<std::uint32_t>(table.number(kAvailable, 0, kMost));
    // Without capacity there need not be a price.
    if (!table.has(kPrice) || (table.is_empty(kPrice) && row.capacity == 0)) continue;
    row.price = table.value(kPrice, parse_price, kPriceExpected);
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].time != rows[i - 1].time) continue;
    throw WorkloadError(fmt::format("{}: has two different rows at {}", file.string(),
                                    doubted_time_text(rows[i].time)));
  }
  return series;
}

/// The mean over the time with capacity; the last row of a file only says when that ends.
std::optional<double> mean_price(const Series& series) {
  const std::vector<Row>& rows = series.rows;
  double sum = 0, seconds = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].capacity == 0 || !rows[i].price) continue;
    const Seconds until = i + 1 < rows.size() ? rows[i + 1].time : series.end;
    const auto lasts = static_cast<double>(until - rows[i].time);
    sum += lasts * static_cast<double>(*rows[i].price);
    seconds += lasts;
  }
  if (seconds == 0) return std::nullopt;
  return std::round(sum / seconds) / static_cast<double>(kUsd);
}

/// Tells whether all capacity costs the same.
bool has_one_price(const std::vector<Row>& rows) {
  const auto with_price = [](const Row& row) { return row.capacity > 0 && row.price; };
  const auto first = std::ranges::find_if(rows, with_price);
  return std::none_of(first, rows.end(),
                      [&](const Row& row) { return with_price(row) && row.price != first->price; });
}

}  // namespace

bool is_availability_csv(const std::filesystem::path& file) {
  return file.filename().string().find(".csv") != std::string::npos;
}

std::vector<std::string> availability_types(const std::filesystem::path& file) {
  TableReader table(file, kFormat);
  std::vector<std::string> types;
  while (table.next()) {
    if (!table.has(kType)) return {};
    if (table.is_empty(kType)) table.refuse(kType, "the instance type of the row");
    if (std::ranges::find(types, table.field(kType)) == types.end()) {
      types.emplace_back(table.field(kType));
    }
  }
  return types;
}

AvailabilityTrace read_availability_csv(const std::filesystem::path& file, SimTime tick,
                                        std::string_view type) {
  const Series series = read_series(file, type);
  const std::vector<Row>& rows = series.rows;
  if (rows.empty() && !type.empty()) {
    throw WorkloadError(fmt::format("{}: has no row of type '{}', expected one of: {}",
                                    file.string(), type,
                                    fmt::join(availability_types(file), ", ")));
  }
  AvailabilityTrace trace{.tick = tick, .capacity = {}, .spot_price = mean_price(series)};
  const bool has_prices = trace.spot_price && !has_one_price(rows);
  const auto time_of = [&series](std::size_t i) {
    const Seconds time = i < series.rows.size() ? series.rows[i].time : series.end;
    return SimTime(std::chrono::seconds(time - series.rows.front().time));
  };
  const SimTime end = rows.empty() ? SimTime(0) : time_of(rows.size());
  require_few_ticks(end, tick, file.string());
  std::size_t row = 0;  // that holds when the tick begins
  for (SimTime begin{0}; begin + tick <= end; begin += tick) {
    while (row + 1 < rows.size() && time_of(row + 1) <= begin) ++row;
    std::uint32_t least = rows[row].capacity;
    double price = 0;
    for (std::size_t i = row; i < rows.size() && time_of(i) < begin + tick; ++i) {
      least = std::min(least, rows[i].capacity);
      const SimTime lasts = std::min(begin + tick, time_of(i + 1)) - std::max(begin, time_of(i));
      price += usd(rows[i].price.value_or(0)) * (hours_of(lasts) / hours_of(tick));
    }
    trace.capacity.push_back(least);
    if (has_prices) trace.prices.push_back(least > 0 ? price : 0);
  }
  if (trace.capacity.empty()) {
    throw WorkloadError(fmt::format(
        "{}: its rows span less than a tick of {:g} s, expected a last row that says when it ends",
        file.string(), std::chrono::duration<double>(tick).count()));
  }
  return trace;
}

}  // namespace cospot
