#include "sim_harness/studies/compare/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "sim_harness/files/amount_text.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/compare/stored_prices.hpp"

namespace cospot {
namespace {

/// How many vCPUs one of each workload's vcpus is, as the sweep in the database says; by flavor
/// (?1) what an hour of it costs on demand (`vms`) and as a spot (`spots`), at a price of 1.
constexpr std::string_view kUnits = R"sql(
WITH vcpus AS (
  SELECT json_extract(workload.value, '$.label') AS workload,
    json_extract(workload.value, '$.vcpus_unit') IS 'relative' AS is_relative,
    CASE json_extract(workload.value, '$.vcpus_unit') WHEN 'relative' THEN 1.0
      ELSE CAST(coalesce(json_extract(workload.value, '$.vcpus_unit'), '1') AS REAL) END AS vcpus
  FROM sweep, json_each(sweep.configuration, '$.workloads') AS workload
), unit AS (
  SELECT vcpus.workload, is_relative,
    vcpus * coalesce(json_extract(price.value, '$.on_demand'), 1) AS vms,
    vcpus * coalesce(json_extract(price.value, '$.spot'), 1) AS spots
  FROM vcpus LEFT JOIN json_each(?1) AS price ON price.key = vcpus.workload
)
)sql";

constexpr std::string_view kBest = R"sql(
SELECT best.headroom_percent, best.size_hosts, best.needs_true_lifetimes,
  avg(run.spot_revenue * unit.spots), avg(run.spot_revenue_requested * unit.spots),
  avg((run.spot_revenue - baseline.spot_revenue) * unit.spots),
  count(*) = count(baseline.run_index)
FROM best_without_vm_loss AS best
JOIN run_figures AS figures
  ON figures.vm = best.vm AND figures.spot = best.spot AND figures.evictor = best.evictor
  AND figures.saf = best.saf AND figures.otn = best.otn
  AND figures.headroom_percent IS best.headroom_percent AND figures.size_hosts IS best.size_hosts
JOIN run USING (run_index)
JOIN unit ON unit.workload = run.workload
LEFT JOIN run AS baseline
  ON baseline.saf = 0 AND baseline.otn = 1 AND baseline.workload = run.workload
  AND baseline.vm = run.vm AND baseline.spot = run.spot AND baseline.evictor = run.evictor
  AND baseline.headroom_percent IS run.headroom_percent
  AND (run.headroom_percent IS NOT NULL OR baseline.hosts = run.hosts)
GROUP BY best.headroom_percent, best.size_hosts, best.needs_true_lifetimes
ORDER BY best.headroom_percent, best.size_hosts, best.needs_true_lifetimes
)sql";

constexpr std::string_view kVms = R"sql(
SELECT avg(run.vm_revenue_requested * unit.vms),
  avg(figures.vm_loss * run.vm_revenue_requested * unit.vms),
  max(figures.vm_loss * run.vm_revenue_requested * unit.vms), max(unit.is_relative)
FROM run JOIN run_figures AS figures USING (run_index) JOIN unit ON unit.workload = run.workload
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
  const double more = prices.of_spots(select.read_number());
  if (select.read_integer() != 0) best.more = more;
  return best;
}

std::string prices_json(const std::map<std::string, VcpuHourPrices>& by_workload) {
  JsonObject json;
  for (const auto& [workload, prices] : by_workload) {
    json.add(workload, JsonObject()
                           .add("on_demand", json_number(prices.on_demand))
                           .add("spot", json_number(prices.spot))
                           .text());
  }
  return json.text();
}

/// `0.04`, or `0.04 to 0.05` over the workloads.
std::string range_text(const WorkloadPrices& prices, double VcpuHourPrices::*price) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const auto& [workload, vcpu_hour] : prices.by_workload) {
    least = std::min(least, vcpu_hour.*price);
    most = std::max(most, vcpu_hour.*price);
  }
  const std::string low = fmt::format("{:.4g}", least);
  const std::string high = fmt::format("{:.4g}", most);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string heading(const SummaryMoney& money) {
  const std::string_view hour = money.is_relative ? "a unit-hour" : "a vCPU-hour";
  const WorkloadPrices& prices = money.prices;
  if (prices.is_by_flavor()) {
    return fmt::format(
        "\nMoney by {}: a workload's mean price of {} is {} on demand and {} for spots; means over "
        "the workloads\n",
        prices.source, hour, range_text(prices, &VcpuHourPrices::on_demand),
        range_text(prices, &VcpuHourPrices::spot));
  }
  return fmt::format(
      "\nMoney, at {} for {} on demand and {} for one of spots; means over the workloads\n",
      prices.vcpu_hour.on_demand, hour, prices.vcpu_hour.spot);
}

}  // namespace

SummaryMoney summarise_money(ResultsDatabase& results, const WorkloadPrices& prices) {
  require_comparison(results);
  SummaryMoney money{.prices = prices};
  // By flavor the amounts are in money already.
  const VcpuHourPrices scale =
      prices.is_by_flavor() ? VcpuHourPrices{.on_demand = 1, .spot = 1} : prices.vcpu_hour;
  const std::string by_workload = prices_json(prices.by_workload);
  SqliteStatement best(results.connection(), fmt::format("{}{}", kUnits, kBest));
  best.bind(by_workload);
  while (best.step()) money.best.push_back(read_best(best, scale));
  SqliteStatement vms(results.connection(), fmt::format("{}{}", kUnits, kVms));
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
  std::string text = heading(money);
  TextTable table;
  table.add_column("  size", TextTable::Align::kLeft);
  table.add_column("spots earn");
  table.add_column("of requested");
  table.add_column("more than without cooperation");
  for (const MoneyOfBest& best : money.best) {
    table.add_row({"  " + (best.is_bound ? "  upper bound" : best.size),
                   money_text(best.spots_earned), money_text(best.spots_requested),
                   best.more ? money_text(*best.more) : "-"});
  }
  if (!table.empty()) text += table.text();
  return text + fmt::format("  VMs request {}; over all runs they lose: mean {}, max {}\n",
                            money_text(money.vms_requested), money_text(money.vms_lost),
                            money_text(money.vms_lost_most));
}

std::string money_json(const SummaryMoney& money) {
  const auto best_json = [](const MoneyOfBest& best) {
    return JsonObject()
        .add("size", json_text(best.size))
        .add("upper_bound", json_bool(best.is_bound))
        .add("spots_earned", json_number(best.spots_earned))
        .add("spots_requested", json_number(best.spots_requested))
        .add("more_than_without_cooperation", json_number(best.more))
        .text();
  };
  const bool is_by_flavor = money.prices.is_by_flavor();
  const VcpuHourPrices& vcpu_hour = money.prices.vcpu_hour;
  JsonObject json;
  json.add("on_demand", is_by_flavor ? "null" : json_number(vcpu_hour.on_demand))
      .add("spot", is_by_flavor ? "null" : json_number(vcpu_hour.spot));
  if (is_by_flavor) json.add("by_workload", prices_json(money.prices.by_workload));
  return json.add("relative_units", json_bool(money.is_relative))
      .add("best_without_vm_loss", list_of(money.best, best_json))
      .add("vms_requested", json_number(money.vms_requested))
      .add("vms_lost_mean", json_number(money.vms_lost))
      .add("vms_lost_max", json_number(money.vms_lost_most))
      .text();
}

}  // namespace cospot
