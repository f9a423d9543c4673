#include "sim_harness/experiments/money/study_money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"

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

bool has_economy_price(const WorkloadPrices& prices) {
  return prices.vcpu_hour.economy.has_value() ||
         std::ranges::any_of(prices.by_workload,
                             [](const auto& one) { return one.second.economy.has_value(); });
}

/// The factor for a column's vcpu-seconds.
std::string_view price_sql(PriceKind price, bool has_economy) {
  switch (price) {
    case PriceKind::kOnDemand:
      return "unit.vms";
    case PriceKind::kSpot:
      return "unit.spots";
    case PriceKind::kEconomy:
      break;
  }
  return has_economy ? "unit.economies" : "economy.price * unit.vms";
}

double money_of(PriceKind price, const VcpuHourPrices& scale, double vcpu_seconds) {
  switch (price) {
    case PriceKind::kOnDemand:
      return scale.of_vms(vcpu_seconds);
    case PriceKind::kSpot:
      return scale.of_spots(vcpu_seconds);
    case PriceKind::kEconomy:
      break;
  }
  return scale.of_economy(vcpu_seconds);
}

bool has_net(const StudyMoney& money) {
  const auto has = [&](double Income::*part) {
    return std::ranges::find(money.columns, part, &MoneyColumn::part) != money.columns.end();
  };
  return has(&Income::vms_lost) && (has(&Income::spots_earned) || has(&Income::economy_earned));
}

std::string select_text(const ResultsDatabase& results, const StudyMoney& money, bool has_economy) {
  std::string columns = fmt::format("run.run_index, unit.is_relative, {}", money.months);
  for (const MoneyColumn& column : money.columns) {
    columns += fmt::format(", ({}) * {}", column.sql, price_sql(column.price, has_economy));
  }
  const bool has_figures = !results.schema().derived.empty();
  return fmt::format(
      "{}SELECT {} FROM run {} JOIN unit ON unit.workload = run.workload {} ORDER BY run.run_index",
      kWorkloadUnits, columns, has_figures ? "JOIN run_figures AS figures USING (run_index)" : "",
      money.joins);
}

}  // namespace

std::string prices_json(const WorkloadPrices& prices) {
  Json json = Json::object();
  for (const auto& [workload, of_it] : prices.by_workload) {
    json[workload] = {{"on_demand", json_of(of_it.on_demand)}, {"spot", json_of(of_it.spot)}};
    if (of_it.economy) json[workload]["economy"] = json_of(of_it.economy);
  }
  return compact_json(json);
}

VcpuHourPrices scale_of(const WorkloadPrices& prices) {
  return prices.is_by_flavor() ? VcpuHourPrices{.on_demand = 1, .spot = 1, .economy = 1}
                               : prices.vcpu_hour;
}

StudySummary money_heading(const WorkloadPrices& prices, bool is_relative,
                           std::string_view means_over) {
  const bool is_by_flavor = prices.is_by_flavor();
  const std::string_view hour = is_relative ? "a unit-hour" : "a vCPU-hour";
  const std::string in = prices.currency.empty() ? "" : " in " + prices.currency;
  const VcpuHourPrices& all = prices.vcpu_hour;
  StudySummary summary;
  if (is_by_flavor) {
    summary.text = fmt::format(
        "\nMoney{} by {}: a workload's mean price of {} is {} on demand and {} for spots; means "
        "over {}\n",
        in, prices.source, hour, range_text(prices, &VcpuHourPrices::on_demand),
        range_text(prices, &VcpuHourPrices::spot), means_over);
  } else {
    const std::string economy =
        all.economy ? fmt::format(", {} for one of Economy instances", *all.economy) : "";
    summary.text =
        fmt::format("\nMoney{}, at {} for {} on demand and {} for one of spots{}; means over {}\n",
                    in, all.on_demand, hour, all.spot, economy, means_over);
  }
  const auto price = [is_by_flavor](std::optional<double> one) {
    return json_of(is_by_flavor ? std::nullopt : one);
  };
  summary.json = {{"currency", prices.currency.empty() ? Json() : Json(prices.currency)},
                  {"on_demand", price(all.on_demand)},
                  {"spot", price(all.spot)},
                  {"economy", price(all.economy)}};
  if (is_by_flavor) summary.json["by_workload"] = Json::parse(prices_json(prices));
  summary.json["relative_units"] = is_relative;
  summary.json["note"] = sold_once_note();
  return summary;
}

Figure money_figure(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .unit = FigureUnit::kMoney};
}

RunMoney money_of_runs(ResultsDatabase& results, const StudyMoney& money,
                       const WorkloadPrices& prices) {
  const VcpuHourPrices scale = scale_of(prices);
  const std::string by_workload = prices_json(prices);
  SqliteStatement select(results.connection(),
                         select_text(results, money, has_economy_price(prices)));
  select.bind(by_workload);
  RunMoney made;
  made.amounts.resize(money.columns.size());
  const bool is_net_known = has_net(money);
  while (select.step()) {
    made.runs.push_back(static_cast<std::size_t>(select.read_integer()));
    made.is_relative = select.read_integer() != 0 || made.is_relative;
    Income income{.days = select.read_number() * kDaysPerMonth};
    for (std::size_t i = 0; i < money.columns.size(); ++i) {
      const MoneyColumn& column = money.columns[i];
      const bool is_known = !select.next_is_null();
      const double amount = money_of(column.price, scale, select.read_number());
      if (column.part != nullptr) income.*column.part = amount;
      made.amounts[i].push_back(is_known ? std::optional(amount) : std::nullopt);
    }
    if (is_net_known) made.incomes.push_back(income);
  }
  return made;
}

NetIncome net_income(const RunMoney& money) {
  NetIncome made;
  for (const Income& income : money.incomes) {
    made.net.emplace_back(income.net());
    made.months.emplace_back(income.days / kDaysPerMonth);
  }
  return made;
}

void add_net(MeansTable& table, const NetIncome& income) {
  table.add(money_figure("net", "net of lost VMs"), income.net);
  table.add({"net_per_month", "a month"}, [&](std::span<const std::size_t> runs) {
    return mean_cell(money_figure({}, {}), table.ratio(income.net, income.months, runs));
  });
}

StudySummary money_summary(ResultsDatabase& results, const StudyMoney& money,
                           const WorkloadPrices& prices) {
  if (money.summary != nullptr) return money.summary(results, prices);
  const RunMoney of_runs = money_of_runs(results, money, prices);
  MeansTable table(results, of_runs.runs);
  table.add({"runs"}, [](std::span<const std::size_t> runs) {
    return SummaryCell{"", runs.size()};
  });
  for (std::size_t i = 0; i < money.columns.size(); ++i) {
    table.add(money_figure(money.columns[i].name, money.columns[i].title), of_runs.amounts[i]);
  }
  if (!of_runs.incomes.empty()) add_net(table, net_income(of_runs));
  StudySummary summary = money_heading(prices, of_runs.is_relative, table.means_over());
  summary.text.add(table.table(), "  ");
  summary.text += std::string(money.note) + std::string(kSoldOnce);
  summary.json["combinations"] = table.table().json();
  return summary;
}

}  // namespace cospot
