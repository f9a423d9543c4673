#include "sim_harness/studies/compare/money.hpp"

#include <fmt/format.h>

#include <string_view>

#include "sim_harness/files/amount_text.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {
namespace {

constexpr std::string_view kBest = R"sql(
SELECT best.headroom_percent, best.size_hosts, best.needs_true_lifetimes,
  avg(run.spot_revenue * unit.spots), avg(run.spot_revenue_requested * unit.spots),
  avg((run.spot_revenue - baseline.spot_revenue) * unit.spots),
  avg((run.vm_revenue - baseline.vm_revenue) * unit.vms),
  avg(run.spot_revenue * unit.spots / unit.months),
  avg(run.vm_revenue_lost * unit.vms),
  avg(run.vm_revenue_lost * unit.vms / unit.months),
  avg(run.hosts), count(*) = count(baseline.run_index)
FROM best_without_vm_loss AS best
JOIN run_figures AS figures ON {} AND figures.size_hosts IS best.size_hosts
JOIN run USING (run_index)
JOIN unit ON unit.workload = run.workload
LEFT JOIN baseline USING (run_index)
GROUP BY best.headroom_percent, best.size_hosts, best.needs_true_lifetimes
ORDER BY best.headroom_percent, best.size_hosts, best.needs_true_lifetimes
)sql";

constexpr std::string_view kVms = R"sql(
SELECT avg(run.vm_revenue_requested * unit.vms),
  avg(run.vm_revenue_lost * unit.vms),
  max(run.vm_revenue_lost * unit.vms), max(unit.is_relative)
FROM run JOIN unit ON unit.workload = run.workload
)sql";

MoneyOfBest read_best(SqliteStatement& select, const VcpuHourPrices& prices) {
  MoneyOfBest best;
  const bool has_headroom = !select.next_is_null();
  const double headroom = select.read_number();
  const std::int64_t hosts = select.read_integer();
  best.size = has_headroom ? fmt::format("{}%", headroom)
                           : fmt::format("{} host{}", hosts, hosts == 1 ? "" : "s");
  best.is_bound = select.read_integer() != 0;
  best.spots_earned = prices.of_spots(select.read_number());
  best.spots_requested = prices.of_spots(select.read_number());
  const double more_of_spots = prices.of_spots(select.read_number());
  const double more_of_vms = prices.of_vms(select.read_number());
  const double spots_per_month = prices.of_spots(select.read_number());
  best.net = best.spots_earned - prices.of_vms(select.read_number());
  best.net_per_month = spots_per_month - prices.of_vms(select.read_number());
  best.net_per_host = best.net_per_month / select.read_number();
  if (select.read_integer() != 0) best.more = more_of_spots + more_of_vms;
  return best;
}

}  // namespace

SummaryMoney summarise_money(ResultsDatabase& results, const WorkloadPrices& prices) {
  SummaryMoney money{.prices = prices};
  const VcpuHourPrices scale = scale_of(prices);
  const std::string by_workload = prices_json(prices);
  const std::vector<Column>& axes = results.schema().axes;  // of which the first is the workload
  SqliteStatement best(
      results.connection(),
      std::string(kWorkloadUnits) +
          fmt::format(kBest, same_axes_sql(std::span(axes).subspan(1), "figures", "best")));
  best.bind(by_workload);
  while (best.step()) money.best.push_back(read_best(best, scale));
  SqliteStatement vms(results.connection(), std::string(kWorkloadUnits) + std::string(kVms));
  vms.bind(by_workload);
  if (vms.step()) {
    money.vms_requested = scale.of_vms(vms.read_number());
    money.vms_lost = scale.of_vms(vms.read_number());
    money.vms_lost_most = scale.of_vms(vms.read_number());
    money.is_relative = vms.read_integer() != 0;
  }
  return money;
}

std::string money_text(const SummaryMoney& money) {
  std::string text = money_heading(money.prices, money.is_relative, "the workloads");
  TextTable table;
  table.add_column("  size", TextTable::Align::kLeft);
  table.add_column("spots earn");
  table.add_column("of requested");
  table.add_column("net of lost VMs");
  table.add_column("a month");
  table.add_column("a host and month");
  table.add_column("more than without cooperation");
  for (const MoneyOfBest& best : money.best) {
    table.add_row({"  " + (best.is_bound ? "  upper bound" : best.size),
                   money_text(best.spots_earned), money_text(best.spots_requested),
                   money_text(best.net), money_text(best.net_per_month),
                   money_text(best.net_per_host), best.more ? money_text(*best.more) : "-"});
  }
  if (!table.empty()) text += table.text();
  return text + fmt::format("  VMs request {}; over all runs they lose: mean {}, max {}\n{}",
                            money_text(money.vms_requested), money_text(money.vms_lost),
                            money_text(money.vms_lost_most), kSoldOnce);
}

std::string money_json(const SummaryMoney& money) {
  const auto best_json = [](const MoneyOfBest& best) {
    return JsonObject()
        .add("size", json_text(best.size))
        .add("upper_bound", json_bool(best.is_bound))
        .add("spots_earned", json_number(best.spots_earned))
        .add("spots_requested", json_number(best.spots_requested))
        .add("net", json_number(best.net))
        .add("net_per_month", json_number(best.net_per_month))
        .add("net_per_host_and_month", json_number(best.net_per_host))
        .add("more_than_without_cooperation", json_number(best.more))
        .text();
  };
  JsonObject json;
  add_prices(json, money.prices, money.is_relative);
  return json.add("best_without_vm_loss", list_of(money.best, best_json))
      .add("vms_requested", json_number(money.vms_requested))
      .add("vms_lost_mean", json_number(money.vms_lost))
      .add("vms_lost_max", json_number(money.vms_lost_most))
      .text();
}

const StudyMoney& compare_money() {
  static const StudyMoney made{.columns = {kVmsRequested, kVmsEarned, kVmsLost, kSpotsRequested,
                                           kSpotsEarned, kMoreThanBaseline},
                               .joins = kJoinBaseline,
                               .text =
                                   [](ResultsDatabase& results, const WorkloadPrices& prices) {
                                     return money_text(summarise_money(results, prices));
                                   },
                               .json =
                                   [](ResultsDatabase& results, const WorkloadPrices& prices) {
                                     return money_json(summarise_money(results, prices));
                                   }};
  return made;
}

}  // namespace cospot
