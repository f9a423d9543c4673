#include "sim_harness/data/markets/flavor_prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <tuple>

#include "core/errors.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/markets/price_files.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

enum HistoryColumn : std::size_t { kHistoryTime, kHistoryVcpus, kHistoryMemory, kHistorySpot };
constexpr std::array<TableColumn, 4> kHistoryColumns{
    {{"time"}, {"vcpus"}, {"memory_mb"}, {"spot"}}};

/// Sorts by time, and drops what is no change.
void keep_changes(FlavorPriceHistory& flavor, const std::filesystem::path& file) {
  std::ranges::stable_sort(flavor.changes, {}, &PriceChange::time);
  std::vector<PriceChange> kept;
  const PriceChange* before = nullptr;
  for (const PriceChange& one : flavor.changes) {
    if (before != nullptr && before->time == one.time && before->price != one.price) {
      throw WorkloadError(fmt::format("{}: the flavor {},{} has two spot prices at {}",
                                      file.string(), flavor.size.vcpus, flavor.size.memory_mb,
                                      price_time_text(one.time)));
    }
    if (kept.empty() || kept.back().price != one.price) kept.push_back(one);
    before = &one;
  }
  flavor.changes = std::move(kept);
}

double hours_from(Seconds from, Seconds to) { return static_cast<double>(to - from) / kHour; }

}  // namespace

std::optional<double> FlavorPriceHistory::mean_hours_between() const {
  if (count() < 2) return std::nullopt;
  return hours_from(changes[1].time, changes.back().time) / static_cast<double>(count() - 1);
}

std::optional<double> FlavorPriceHistory::least_hours_between() const {
  std::optional<double> least;
  for (std::size_t i = 2; i < changes.size(); ++i) {
    const double hours = hours_from(changes[i - 1].time, changes[i].time);
    least = std::min(least.value_or(hours), hours);
  }
  return least;
}

double FlavorPriceHistory::lowest() const {
  return usd(std::ranges::min(changes, {}, &PriceChange::price).price);
}

double FlavorPriceHistory::highest() const {
  return usd(std::ranges::max(changes, {}, &PriceChange::price).price);
}

std::vector<FlavorPriceHistory> read_flavor_price_history(const std::filesystem::path& file) {
  TableReader table(file,
                    {.columns = kHistoryColumns, .rows = "prices", .has_other_columns = true});
  SeriesSpan span;
  std::vector<FlavorPriceHistory> all;
  std::map<std::pair<ResourceAmount, ResourceAmount>, std::size_t> places;
  while (table.next()) {
    const Seconds time = table.value(kHistoryTime, parse_time, kTimeExpected);
    span.take(table, kHistoryTime, SimTime(std::chrono::seconds(time)));
    const ResourceVector size{table.amount(kHistoryVcpus, 1), table.amount(kHistoryMemory, 0)};
    const auto [place, is_new] = places.try_emplace({size.vcpus, size.memory_mb}, all.size());
    if (is_new) all.push_back({.size = size});
    all[place->second].changes.push_back(
        {time, table.value(kHistorySpot, parse_price, kPriceExpected)});
  }
  for (FlavorPriceHistory& flavor : all) keep_changes(flavor, file);
  return all;
}

std::string price_time_text(Seconds time) {
  constexpr Seconds kYear2001 = 978'307'200;
  if (time < kYear2001) return fmt::format("day {:g}", static_cast<double>(time) / 86'400);
  const std::chrono::sys_seconds at{std::chrono::seconds(time)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace cospot
