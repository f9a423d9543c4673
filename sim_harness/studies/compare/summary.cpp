#include "sim_harness/studies/compare/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace cospot {
namespace {

/// A datacenter size that sorts by its number: false and a headroom, or true and hosts.
using SizeKey = std::pair<bool, double>;

std::string size_text(const SizeKey& size) {
  return size.first ? fmt::format("{:.0f} host{}", size.second, size.second == 1 ? "" : "s")
                    : fmt::format("{:.6g}%", size.second);
}

std::optional<double> read_optional(SqliteStatement& select) {
  const bool is_null = select.next_is_null();
  const double number = select.read_number();
  return is_null ? std::nullopt : std::optional(number);
}

/// The columns headroom_percent and size_hosts.
SizeKey read_size(SqliteStatement& select) {
  const std::optional<double> percent = read_optional(select);
  const double hosts = select.read_number();
  return percent ? SizeKey{false, *percent} : SizeKey{true, hosts};
}

/// A query over all runs with their figures.
SqliteStatement over_runs(ResultsDatabase& results, std::string_view columns,
                          std::string_view rest = {}) {
  return {results.connection(),
          fmt::format("SELECT {} FROM run_figures AS figures JOIN run USING (run_index) {}",
                      columns, rest)};
}

MeanAndMax spread_of(ResultsDatabase& results, std::string_view figure,
                     std::string_view rest = {}) {
  SqliteStatement select =
      over_runs(results, fmt::format("count({0}), avg({0}), max({0})", figure), rest);
  if (!select.step()) return {};
  MeanAndMax spread;
  spread.count = static_cast<std::size_t>(select.read_integer());
  spread.mean = select.read_number();
  spread.max = select.read_number();
  return spread;
}

std::size_t count_of(ResultsDatabase& results, std::string_view condition) {
  SqliteStatement select = over_runs(results, "count(*)", fmt::format("WHERE {}", condition));
  return select.step() ? static_cast<std::size_t>(select.read_integer()) : 0;
}

void summarise_gains(ResultsDatabase& results, Summary& summary) {
  summary.gain = spread_of(results, "gain");
  summary.gain_without_loss = spread_of(results, "gain", "WHERE without_vm_loss");
  summary.without_baseline = count_of(results, "NOT has_baseline");
  summary.with_empty_baseline = count_of(results, "has_baseline AND gain IS NULL");
  SqliteStatement select =
      over_runs(results, "figures.saf, figures.otn, avg(gain)", "GROUP BY 1, 2");
  while (select.step()) {
    GainCell& cell = summary.gain_by_saf_otn.emplace_back();
    cell.saf = select.read_integer() != 0;
    cell.otn = OfferRule::parse(select.read_text());
    cell.mean = read_optional(select);
  }
  std::ranges::sort(summary.gain_by_saf_otn, {},
                    [](const GainCell& cell) { return std::pair(cell.saf, cell.otn); });
}

void summarise_vms(ResultsDatabase& results, Summary& summary) {
  summary.vm_loss = spread_of(results, "vm_loss");
  summary.runs_without_loss = count_of(results, "without_vm_loss");
  SqliteStatement select = over_runs(results, "max(vm_too_large)", "GROUP BY figures.workload");
  while (select.step()) {
    const auto count = static_cast<std::uint64_t>(select.read_integer());
    ++summary.workloads;
    summary.too_large_vms += count;
    if (count > 0) ++summary.too_large_workloads;
  }
}

RunTimes times_of(ResultsDatabase& results) {
  SqliteStatement select =
      over_runs(results, "avg(wall_ms), avg(alloc_p50_ns), avg(alloc_p99_ns), max(alloc_max_ns)");
  RunTimes times;
  if (!select.step()) return times;
  times.wall_ms_mean = select.read_number();
  times.alloc_p50_ns_mean = select.read_number();
  times.alloc_p99_ns_mean = select.read_number();
  times.alloc_max_ns = static_cast<std::uint64_t>(select.read_integer());
  return times;
}

/// The best combination of each size that can be deployed and does not cooperate.
constexpr std::string_view kBestWithoutCooperation =
    "(SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY headroom_percent, size_hosts"
    " ORDER BY spot_share DESC, first_run) AS place FROM combination"
    " WHERE without_vm_loss AND NOT needs_true_lifetimes AND otn = '1' AND NOT saf"
    " AND workloads = (SELECT count(DISTINCT workload) FROM run)) WHERE place = 1)";

/// The runs of the best combinations of a view, and their means.
void read_best(ResultsDatabase& results, std::string_view view,
               const std::function<std::optional<BestCombination>&(const SizeKey&, bool)>& at) {
  SqliteStatement select(
      results.connection(),
      "SELECT best.headroom_percent, best.size_hosts, best.needs_true_lifetimes, best.vm,"
      " best.spot, best.evictor, best.saf, best.otn, best.hosts, run_index, figures.spot_share,"
      " figures.spot_vcpu_hours_per_host, figures.gain, run.evictions"
      " FROM " +
          std::string(view) +
          " AS best JOIN run_figures AS figures"
          " ON figures.vm = best.vm AND figures.spot = best.spot AND figures.evictor = best.evictor"
          " AND figures.saf = best.saf AND figures.otn = best.otn"
          " AND figures.headroom_percent IS best.headroom_percent"
          " AND figures.size_hosts IS best.size_hosts"
          " JOIN run USING (run_index) ORDER BY run_index");
  std::map<BestCombination*, std::array<std::vector<double>, 4>> values;
  while (select.step()) {
    const SizeKey size = read_size(select);
    std::optional<BestCombination>& place = at(size, select.read_integer() != 0);
    BestCombination& one = place ? *place : place.emplace();
    one.vm.label = select.read_text();
    one.spot.label = select.read_text();
    one.evictor.label = select.read_text();
    one.saf = select.read_integer() != 0;
    one.otn = OfferRule::parse(select.read_text());
    one.hosts = select.read_number();
    one.runs.push_back(static_cast<std::size_t>(select.read_integer()));
    for (std::vector<double>& of_figure : values[&one]) {
      if (const std::optional<double> value = read_optional(select)) of_figure.push_back(*value);
    }
  }
  for (const auto& [one, of_figure] : values) {
    const auto mean = [](const std::vector<double>& some) {
      return some.empty() ? std::nullopt : std::optional(mean_interval(some));
    };
    one->spot_revenue_share = mean(of_figure[0]);
    one->spot_vcpu_hours_per_host = mean(of_figure[1]);
    one->gain = mean(of_figure[2]);
    one->evictions = mean(of_figure[3]);
  }
}

void summarise_best(ResultsDatabase& results, Summary& summary) {
  std::map<SizeKey, BestOfSize> by_size;
  SqliteStatement select =
      over_runs(results, "DISTINCT figures.headroom_percent, size_hosts, needs_true_lifetimes");
  while (select.step()) {
    const SizeKey size = read_size(select);
    BestOfSize& best = by_size[size];
    best.size = size_text(size);
    if (size.first) {
      best.hosts = static_cast<std::size_t>(size.second);
    } else {
      best.headroom_percent = size.second;
    }
    (select.read_integer() != 0 ? summary.any_bound : summary.any_to_set) = true;
  }
  using Place = std::optional<BestCombination>;
  read_best(results, "best_without_vm_loss", [&](const SizeKey& size, bool is_bound) -> Place& {
    return is_bound ? by_size[size].bound : by_size[size].to_set;
  });
  read_best(results, kBestWithoutCooperation,
            [&](const SizeKey& size, bool) -> Place& { return by_size[size].without_cooperation; });
  for (auto& [size, best] : by_size) summary.best.push_back(std::move(best));
}

/// Reads the statements of the study file that hold for all its runs.
void read_study(ResultsDatabase& results, Summary& summary) {
  SqliteStatement select(results.connection(),
                         "SELECT json_extract(configuration, '$.headroom_of') IS 'each_policy',"
                         " EXISTS (SELECT 1 FROM input WHERE vcpus_unit = 'relative') FROM sweep");
  if (!select.step()) return;
  summary.has_own_sizes = select.read_integer() != 0;
  summary.is_relative = select.read_integer() != 0;
}

}  // namespace

Summary summarise(ResultsDatabase& results, Timing timing) {
  Summary summary;
  summary.runs = results.finished_runs().size();
  summary.expected_runs = results.record().run_count;
  summarise_gains(results, summary);
  summary.first_hour_free_loss = spread_of(results, "first_hour_free_loss");
  summary.first_hour_free_loss_of_requested =
      spread_of(results, "first_hour_free_loss_of_requested");
  summarise_vms(results, summary);
  if (timing == Timing::kOn) summary.times = times_of(results);
  summarise_best(results, summary);
  read_study(results, summary);
  return summary;
}

}  // namespace cospot
