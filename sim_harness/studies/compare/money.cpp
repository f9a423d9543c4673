#include "sim_harness/studies/compare/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/compare/summary.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"

namespace cospot {
namespace {

constexpr std::array kColumns{kVmsRequested,   kVmsEarned,   kVmsLost,
                              kSpotsRequested, kSpotsEarned, kMoreThanBaseline};
enum BestColumn : std::uint8_t { kVmRequested, kVmEarned, kVmLost, kSpotRequested, kSpotEarned };

std::size_t position_of(std::size_t run, const RunMoney& money) {
  return static_cast<std::size_t>(std::ranges::lower_bound(money.runs, run) - money.runs.begin());
}

/// The mean of some runs' amounts; none where one of them has none.
std::optional<MeanInterval> mean_of(const RunValues& amounts, const RunMoney& money,
                                    const std::vector<std::size_t>& runs) {
  std::vector<double> values;
  for (const std::size_t run : runs) {
    const std::optional<double>& amount = amounts[position_of(run, money)];
    if (!amount) return std::nullopt;
    values.push_back(*amount);
  }
  return mean_interval(values);
}

/// By workload, the income of a combination's runs.
std::vector<Income> incomes_of(const BestCombination& of, const RunMoney& money) {
  std::vector<Income> incomes;
  for (const std::size_t run : of.runs) incomes.push_back(money.incomes[position_of(run, money)]);
  return incomes;
}

/// The additional monthly income of `one` over `other`, net of lost VMs, in pairs of one workload.
std::optional<MeanInterval> more_a_month(const BestCombination& one,
                                         const std::optional<BestCombination>& other,
                                         const RunMoney& money) {
  if (!other || other->runs.size() != one.runs.size()) return std::nullopt;
  return gain_per_month(incomes_of(one, money), incomes_of(*other, money));
}

SummaryTable best_with_money(const Summary& summary, const RunMoney& money) {
  SummaryTable table{.columns = {{"size", "size", TextTable::Align::kLeft},
                                 {"upper_bound"},
                                 {"spots_earned", "spots earn"},
                                 {"spots_requested", "of requested"},
                                 {"net", "net of lost VMs"},
                                 {"net_per_month", "a month"},
                                 {"net_per_host_and_month", "a host and month"},
                                 {"more_per_month_than_without_cooperation",
                                  "a month more than not cooperating"}}};
  const auto add = [&](const BestOfSize& of, const std::optional<BestCombination>& best,
                       bool is_bound) {
    if (!best) return;
    const Figure figure = money_figure({}, {});
    const auto cell = [&](const RunValues& amounts) {
      return mean_cell(figure, mean_of(amounts, money, best->runs));
    };
    const std::vector<Income> incomes = incomes_of(*best, money);
    std::vector<double> net;
    for (const Income& income : incomes) net.push_back(income.net());
    const MeanInterval per_month = net_per_month(incomes);
    const double per_host = per_month.mean / best->hosts;
    table.rows.push_back({{is_bound ? "  knows lifetimes" : of.size, of.size},
                          {"", is_bound},
                          cell(money.amounts[kSpotEarned]),
                          cell(money.amounts[kSpotRequested]),
                          mean_cell(figure, mean_interval(net)),
                          mean_cell(figure, per_month),
                          {money_text(per_host), json_of(per_host)},
                          mean_cell(figure, more_a_month(*best, of.without_cooperation, money))});
  };
  for (const BestOfSize& best : summary.best) {
    add(best, best.to_set, false);
    add(best, best.bound, true);
  }
  return table;
}

}  // namespace

StudySummary summarise_compared_money(ResultsDatabase& results, const WorkloadPrices& prices) {
  const RunMoney money = money_of_runs(results, compare_money(), prices);
  const SummaryTable table = best_with_money(summarise(results, Timing::kOff), money);
  const MeanInterval requested = *mean_of(money.amounts[kVmRequested], money, money.runs);
  const MeanInterval lost = *mean_of(money.amounts[kVmLost], money, money.runs);
  double most = 0;
  for (const std::optional<double>& one : money.amounts[kVmLost]) {
    most = std::max(most, one.value_or(0));
  }
  StudySummary summary = money_heading(prices, money.is_relative, "the workloads");
  if (!table.rows.empty()) summary.text.add(table, "  ");
  summary.text +=
      fmt::format("  VMs request {}; over all runs they lose: mean {}, max {}\n{}",
                  money_text(requested.mean), money_text(lost.mean), money_text(most), kSoldOnce);
  summary.json.update({{"best_without_vm_loss", table.json()},
                       {"vms_requested", json_of(requested.mean)},
                       {"vms_lost_mean", json_of(lost.mean)},
                       {"vms_lost_max", json_of(most)}});
  return summary;
}

StudyMoney compare_money() {
  return {.columns = {kColumns.begin(), kColumns.end()}, .joins = std::string(kJoinBaseline)};
}

}  // namespace cospot
