#include "sim_harness/advise/vm_demand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "sim_harness/advise/advice_text.hpp"
#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {
namespace {

constexpr std::size_t kWeek = 7;
constexpr std::size_t kLeastDays = 3 * kWeek;
/// Smaller changes change no decision.
constexpr double kLeastChange = 0.02;
/// VMs turn over if the history has so many times their mean stay.
constexpr double kLeastStays = 10;
// Quotients of variances (F) above which a change counts. Growth: 1 % of F with 1 and 28 degrees of
// freedom. Step at an unknown day: 1 % of its supremum; source: Andrews, Econometrica 61 (1993),
// table I. Season: 1 % would be 3.5, but the days of a week are not independent.
constexpr double kGrowthQuotient = 7.6;
constexpr double kStepQuotient = 12.35;
constexpr double kSeasonQuotient = 10;

using DailyValues = std::vector<double>;

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The rest of `y` after a fit of least squares by independent columns (Gram and Schmidt).
DailyValues rest_of(DailyValues y, std::vector<DailyValues> columns) {
  columns.push_back(std::move(y));
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    const DailyValues& by = columns[i];
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      const double slope = product(by, columns[j]) / product(by, by);
      for (std::size_t day = 0; day < by.size(); ++day) columns[j][day] -= slope * by[day];
    }
  }
  return std::move(columns.back());
}

/// A fit: the squares of its rest, and the share of the days that are independent in it.
struct Fit {
  double squares = 0;
  double independent = 1;

  Fit(const DailyValues& y, std::vector<DailyValues> columns, const DailyValues& one_more) {
    columns.push_back(one_more);
    const DailyValues rest = rest_of(y, std::move(columns));
    squares = product(rest, rest);
    const double echo = product(std::span(rest).subspan(1), rest) / squares;
    independent = echo > 0 ? (1 - echo) / (1 + echo) : 1;
  }

  /// Compares it with one without its last column (F). Args: days: degrees of freedom.
  [[nodiscard]] double quotient(double squares_without, std::size_t days) const {
    return (squares_without / squares - 1) * static_cast<double>(days) * independent;
  }
};

/// Compares each day with the week around it, by day of the week.
std::optional<double> season_of(std::span<const double> use, double mean) {
  std::array<double, kWeek> sums{};
  std::array<double, kWeek> days{};
  double squares = 0;
  for (std::size_t day = kWeek / 2; day + kWeek / 2 < use.size(); ++day) {
    const std::span around = use.subspan(day - kWeek / 2, kWeek);
    const double beyond = use[day] - std::reduce(around.begin(), around.end()) / kWeek;
    sums[day % kWeek] += beyond;
    ++days[day % kWeek];
    squares += beyond * beyond;
  }
  double explained = 0;
  for (std::size_t day = 0; day < kWeek; ++day) {
    explained += sums[day] * sums[day] / days[day];
    sums[day] /= days[day];
  }
  const auto count = static_cast<double>(use.size() - kWeek + 1);
  const double quotient = explained / (kWeek - 1) / ((squares - explained) / (count - kWeek));
  const auto [least, greatest] = std::ranges::minmax(sums);
  const double amplitude = (greatest - least) / 2 / mean;
  if (!(quotient > kSeasonQuotient) || amplitude < kLeastChange) return std::nullopt;
  return amplitude;
}

DailyValues ones_from(std::size_t day, std::size_t days) {
  DailyValues ones(days, 1);
  std::fill_n(ones.begin(), day, 0);
  return ones;
}

double mean_of(std::span<const double> values) { return mean_interval(values).mean; }

}  // namespace

std::size_t VmDemand::needed_in_a_month() const {
  const double growth = std::max(0.0, growth_per_month.value_or(0));
  return static_cast<std::size_t>(std::ceil(static_cast<double>(needed) * (1 + growth)));
}

VmDemand vm_demand(std::span<const double> use, std::span<const double> requested) {
  VmDemand found;
  const std::size_t days = use.size();
  const double used = mean_of(use);
  if (days < kLeastDays || used <= 0) return found;
  found.season = season_of(use, used);
  const bool turns_over = mean_of(requested) * static_cast<double>(days) > kLeastStays * used;
  const std::span<const double> series = turns_over ? requested : use;
  const DailyValues y(series.begin(), series.end());
  std::vector<DailyValues> base;
  for (std::size_t weekday = 1; found.season && weekday < kWeek; ++weekday) {
    base.emplace_back(days);
    for (std::size_t day = weekday; day < days; day += kWeek) base.back()[day] = 1;
  }
  DailyValues line(days);
  std::iota(line.begin(), line.end(), 0);
  double squares = Fit(y, base, ones_from(0, days)).squares;
  base.push_back(ones_from(0, days));
  std::size_t first = 0;
  const std::size_t edge = std::max<std::size_t>(5, days / kWeek);
  std::optional<Fit> best;
  for (std::size_t day = edge; day + edge <= days; ++day) {
    const Fit fit(y, base, ones_from(day, days));
    if (best && fit.squares >= best->squares) continue;
    best = fit;
    first = day;
  }
  // A step has to beat a line by what its unknown day costs (Schwarz's criterion).
  const double lead = std::log(Fit(y, base, line).squares / best->squares) * best->independent;
  found.step = mean_of(series.subspan(first)) / mean_of(series.first(first)) - 1;
  if (best->quotient(squares, days - base.size() - 1) > kStepQuotient &&
      lead * static_cast<double>(days) > std::log(days) && std::abs(found.step) >= kLeastChange &&
      std::isfinite(found.step)) {
    found.step_day = first;
    squares = best->squares;
    base.push_back(ones_from(first, days));
  } else {
    first = 0;
    found.step = 0;
  }
  const double quotient = Fit(y, base, line).quotient(squares, days - base.size() - 1);
  const DailyValues rising = rest_of(line, base);
  const double slope = product(rising, y) / product(rising, rising);
  const double level =
      mean_of(series.subspan(first)) + slope * static_cast<double>(days - first) / 2;
  const double growth = slope / level;
  if (quotient > kGrowthQuotient && std::abs(growth) * static_cast<double>(days) >= kLeastChange) {
    found.growth_per_month = growth * kDaysPerMonth;
  }
  return found;
}

VmDemand vm_demand(const Workload& workload, const WholeWorkload& whole) {
  const auto days = static_cast<std::size_t>(days_of(workload.window));
  DailyValues use(days + 1);  // the last day is never whole
  DailyValues requested(days + 1);
  DailyValues begun(days + 2);  // vcpus that are in use on all days from one on, less those before
  for (const WorkloadRow& row : workload.rows) {
    if (row.instance_class != InstanceClass::kVm) continue;
    const auto add = [&](SimTime time, double vcpus) {
      const double at = std::clamp(days_of(time), 0.0, static_cast<double>(days));
      const auto day = static_cast<std::size_t>(at);
      use[day] += vcpus * (static_cast<double>(day + 1) - at);
      begun[day + 1] += vcpus;
      return day;
    };
    const std::size_t day = add(row.start, row.resources.vcpus);
    if (row.start >= SimTime(0)) requested[day] += row.resources.vcpus;
    add(row.end, -row.resources.vcpus);
  }
  double before = 0;
  for (std::size_t day = 0; day < days; ++day) use[day] += before += begun[day];
  VmDemand found = vm_demand(std::span(use).first(days), std::span(requested).first(days));
  if (whole.needed.empty()) return found;
  found.needed = std::ranges::min(whole.needed);
  const double room = static_cast<double>(whole.hosts) / static_cast<double>(found.needed) - 1;
  if (room >= 0 && found.growth_per_month > 0) {
    found.days_left = room / *found.growth_per_month * kDaysPerMonth;
  }
  return found;
}

std::string demand_sentence(const VmDemand& demand, std::size_t hosts) {
  std::vector<std::string> clauses;
  if (demand.step_day) {
    clauses.push_back(fmt::format("stepped {} by {} on day {}", demand.step > 0 ? "up" : "down",
                                  percent(std::abs(demand.step)), *demand.step_day));
  }
  if (demand.season) {
    clauses.push_back(fmt::format("has a week's season of +/- {}", percent(*demand.season)));
  }
  if (const auto growth = demand.growth_per_month) {
    clauses.push_back(fmt::format("{} by {} a month", *growth > 0 ? "grows" : "falls",
                                  percent(std::abs(*growth))));
  }
  if (clauses.empty()) return "";
  std::string text = fmt::format("VM demand {}", fmt::join(clauses, " and "));
  if (demand.days_left) {
    text += fmt::format("; at that rate those that take {} of the {} hosts now no longer fit in {}",
                        demand.needed, hosts, days_text(*demand.days_left));
  }
  if (const std::size_t then = demand.needed_in_a_month();
      demand.growth_per_month && then > hosts) {
    text += fmt::format("; in a month they need {} hosts: buy {}", then, then - hosts);
  }
  return text + ".";
}

Json demand_json(const VmDemand& demand) {
  return {{"step_day", demand.step_day ? Json(*demand.step_day) : Json()},
          {"step", demand.step_day ? json_of(demand.step) : Json()},
          {"season", json_of(demand.season)},
          {"growth_per_month", json_of(demand.growth_per_month)},
          {"hosts_needed", demand.needed},
          {"hosts_in_a_month", demand.needed_in_a_month()},
          {"days_left", json_of(demand.days_left)}};
}

}  // namespace cospot
