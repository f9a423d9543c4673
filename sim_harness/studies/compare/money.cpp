#include "sim_harness/studies/compare/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/summary/best_of_each.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/compare/compare_summary.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"

namespace cospot {
namespace {

constexpr std::array kColumns{kVmsRequested,   kVmsEarned,   kVmsLost,
                              kSpotsRequested, kSpotsEarned, kMoreThanBaseline};
enum BestColumn : std::uint8_t { kVmRequested, kVmEarned, kVmLost, kSpotRequested, kSpotEarned };

/// The additional monthly income of some runs over others, net of lost VMs, in pairs of one
/// workload.
SummaryCell more_a_month(const MeansTable& means, const NetIncome& income, std::size_t row,
                         std::optional<std::size_t> other) {
  const std::vector<std::size_t>& runs = means.combinations()[row];
  std::optional<MeanInterval> more;
  if (other && means.combinations()[*other].size() == runs.size()) {
    RunValues net(income.net.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      net[runs[i]] = *income.net[runs[i]] - *income.net[means.combinations()[*other][i]];
    }
    more = means.ratio(net, income.months, runs);
  }
  return mean_cell(money_figure({}, {}), more);
}

/// The money of the best combinations, by size.
SummaryTable best_with_money(ResultsDatabase& results, const RunMoney& money) {
  MeansTable means(results, money.runs);
  const NetIncome income = net_income(money);
  const std::array<Figure, 1> hosts{{{.name = "hosts"}}};
  const RunValues hosts_of = read_figures(results, hosts).values.front();
  means.add(money_figure("spots_earned", "spots earn"), money.amounts[kSpotEarned]);
  means.add(money_figure("spots_requested", "of requested"), money.amounts[kSpotRequested]);
  add_net(means, income);
  means.add({"net_per_host_and_month", "a host and month"}, [&](std::span<const std::size_t> runs) {
    const double net =
        means.ratio(income.net, income.months, runs)->mean / *plain_mean(hosts_of, runs);
    return SummaryCell{money_text(net), json_of(net)};
  });
  SummaryTable table{.columns = {{"size", "size", TextTable::Align::kLeft}, {"upper_bound"}}};
  const auto amounts =
      means.table().columns.begin() + static_cast<std::ptrdiff_t>(means.settings());
  table.columns.insert(table.columns.end(), amounts, means.table().columns.end());
  table.columns.push_back(
      {"more_per_month_than_without_cooperation", "a month more than not cooperating"});
  for (const BestRows& best : best_rows(results, compare_figures(), means)) {
    for (const std::optional<std::size_t>& row : {best.best, best.bound}) {
      if (!row) continue;
      const bool is_bound = means.is_bound(*row);
      std::vector<SummaryCell>& cells = table.rows.emplace_back();
      cells.push_back({is_bound ? fmt::format("  {}", kKnowsLifetimes) : best.value, best.value});
      cells.push_back({"", is_bound});
      const std::vector<SummaryCell>& all = means.table().rows[*row];
      cells.insert(cells.end(), all.begin() + static_cast<std::ptrdiff_t>(means.settings()),
                   all.end());
      cells.push_back(more_a_month(means, income, *row, best.compared));
    }
  }
  return table;
}

}  // namespace

StudySummary summarise_compared_money(ResultsDatabase& results, const WorkloadPrices& prices) {
  const RunMoney money = money_of_runs(results, compare_money(), prices);
  const SummaryTable table = best_with_money(results, money);
  const auto mean_of = [&money](BestColumn column) {
    std::vector<double> all;
    for (const std::optional<double>& one : money.amounts[column]) all.push_back(*one);
    return mean_interval(all).mean;
  };
  const double requested = mean_of(kVmRequested);
  const double lost = mean_of(kVmLost);
  double most = 0;
  for (const std::optional<double>& one : money.amounts[kVmLost]) {
    most = std::max(most, one.value_or(0));
  }
  StudySummary summary = money_heading(prices, money.is_relative, "the workloads");
  if (!table.rows.empty()) summary.text.add(table, "  ");
  summary.text += fmt::format("  VMs request {}; over all runs they lose: mean {}, max {}\n{}",
                              money_text(requested), money_text(lost), money_text(most), kSoldOnce);
  summary.json.update({{"best_without_vm_loss", table.json()},
                       {"vms_requested", json_of(requested)},
                       {"vms_lost_mean", json_of(lost)},
                       {"vms_lost_max", json_of(most)}});
  return summary;
}

StudyMoney compare_money() {
  return {.columns = {kColumns.begin(), kColumns.end()}, .joins = std::string(kJoinBaseline)};
}

}  // namespace cospot
