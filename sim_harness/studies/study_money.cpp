#include "sim_harness/studies/study_money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim_harness/files/json_text.hpp"

namespace cospot {
namespace {

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

std::string select_text(const ResultsDatabase& results, const StudyMoney& money) {
  std::string columns = "run.run_index, unit.is_relative";
  for (const MoneyColumn& column : money.columns) {
    columns += fmt::format(", ({}) * unit.{}", column.sql,
                           column.price == PriceKind::kOnDemand ? "vms" : "spots");
  }
  const bool has_figures = !results.schema().derived.empty();
  return fmt::format(
      "{}SELECT {} FROM run {} JOIN unit ON unit.workload = run.workload {} ORDER BY run.run_index",
      kWorkloadUnits, columns, has_figures ? "JOIN run_figures AS figures USING (run_index)" : "",
      money.joins);
}

}  // namespace

std::string prices_json(const WorkloadPrices& prices) {
  JsonObject json;
  for (const auto& [workload, of_it] : prices.by_workload) {
    json.add(workload, JsonObject()
                           .add("on_demand", json_number(of_it.on_demand))
                           .add("spot", json_number(of_it.spot))
                           .text());
  }
  return json.text();
}

VcpuHourPrices scale_of(const WorkloadPrices& prices) {
  return prices.is_by_flavor() ? VcpuHourPrices{.on_demand = 1, .spot = 1} : prices.vcpu_hour;
}

std::string money_heading(const WorkloadPrices& prices, bool is_relative,
                          std::string_view means_over) {
  const std::string_view hour = is_relative ? "a unit-hour" : "a vCPU-hour";
  if (prices.is_by_flavor()) {
    return fmt::format(
        "\nMoney by {}: a workload's mean price of {} is {} on demand and {} for spots; means over "
        "{}\n",
        prices.source, hour, range_text(prices, &VcpuHourPrices::on_demand),
        range_text(prices, &VcpuHourPrices::spot), means_over);
  }
  return fmt::format("\nMoney, at {} for {} on demand and {} for one of spots; means over {}\n",
                     prices.vcpu_hour.on_demand, hour, prices.vcpu_hour.spot, means_over);
}

RunMoney money_of_runs(ResultsDatabase& results, const StudyMoney& money,
                       const WorkloadPrices& prices) {
  const VcpuHourPrices scale = scale_of(prices);
  const std::string by_workload = prices_json(prices);
  SqliteStatement select(results.connection(), select_text(results, money));
  select.bind(by_workload);
  RunMoney made;
  made.amounts.resize(money.columns.size());
  while (select.step()) {
    made.runs.push_back(static_cast<std::size_t>(select.read_integer()));
    made.is_relative = select.read_integer() != 0 || made.is_relative;
    for (std::size_t i = 0; i < money.columns.size(); ++i) {
      const bool is_known = !select.next_is_null();
      const double vcpu_seconds = select.read_number();
      const double amount = money.columns[i].price == PriceKind::kOnDemand
                                ? scale.of_vms(vcpu_seconds)
                                : scale.of_spots(vcpu_seconds);
      made.amounts[i].push_back(is_known ? std::optional(amount) : std::nullopt);
    }
  }
  return made;
}

}  // namespace cospot
