#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/amount_text.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {
namespace {

struct Mean {
  double sum = 0;
  std::size_t count = 0;

  [[nodiscard]] std::optional<double> value() const {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

/// Runs that differ in workload and seed only.
struct Combination {
  std::size_t runs = 0;
  std::vector<Mean> amounts;
  Mean net;
  Mean net_per_month;
};

void add_to(Mean& mean, double amount) {
  mean.sum += amount;
  ++mean.count;
}
using Combinations = std::map<Coordinates, Combination>;  // by the coordinates on their axes

/// The axes that tell combinations apart.
std::vector<std::size_t> combination_axes(const std::vector<GridAxis>& axes) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name != "workload" && axes[i].name != "seed") chosen.push_back(i);
  }
  return chosen;
}

Combinations combinations_of(const RunMoney& money, const std::vector<GridAxis>& axes) {
  const Grid grid = grid_of(axes);
  const std::vector<std::size_t> chosen = combination_axes(axes);
  Combinations all;
  for (std::size_t run = 0; run < money.runs.size(); ++run) {
    const Coordinates at = grid.coordinates(money.runs[run]);
    Coordinates key;
    for (const std::size_t axis : chosen) key.push_back(at[axis]);
    Combination& one = all[key];
    ++one.runs;
    one.amounts.resize(money.amounts.size());
    for (std::size_t i = 0; i < money.amounts.size(); ++i) {
      const std::optional<double>& amount = money.amounts[i][run];
      if (amount) add_to(one.amounts[i], *amount);
    }
    if (money.net.empty()) continue;
    add_to(one.net, money.net[run]);
    add_to(one.net_per_month, money.net_per_month[run]);
  }
  return all;
}

/// `size`, `2%` and `500 hosts` as in other summaries; of the other axes their name and label.
std::string name_of(const GridAxis& axis) {
  return axis.name == "headroom_percent" ? "size" : axis.name;
}

std::string label_of(const GridAxis& axis, std::size_t position) {
  const std::string& label = axis.values[position].label;
  if (axis.name != "headroom_percent") return label;
  if (axis.key == "headroom_percent") return label + "%";
  return label + " hosts";
}

/// As the other combinations of a study's JSON have it.
std::string json_of(const GridAxis& axis, std::size_t position) {
  const auto* number = std::get_if<std::int64_t>(&axis.values[position].value);
  if (axis.name == "saf" && number != nullptr) return json_bool(*number != 0);
  return json_text(number != nullptr ? std::to_string(*number) : label_of(axis, position));
}

std::string means_over(const std::vector<GridAxis>& axes) {
  const bool has_seeds = std::ranges::any_of(
      axes, [](const GridAxis& axis) { return axis.name == "seed" && axis.values.size() > 1; });
  return has_seeds ? "the workloads and seeds" : "the workloads";
}

TextTable table_of(const Combinations& all, const StudyMoney& money,
                   const std::vector<GridAxis>& axes) {
  const std::vector<std::size_t> chosen = combination_axes(axes);
  const auto is_shown = [&](std::size_t i) { return axes[chosen[i]].values.size() > 1; };
  TextTable table;
  bool is_first = true;
  const auto add_column = [&](std::string title, TextTable::Align align) {
    table.add_column((is_first ? "  " : "") + std::move(title), align);
    is_first = false;
  };
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (is_shown(i)) add_column(name_of(axes[chosen[i]]), TextTable::Align::kLeft);
  }
  for (const MoneyColumn& column : money.columns) {
    if (!column.title.empty()) add_column(std::string(column.title), TextTable::Align::kRight);
  }
  const bool has_net = !all.empty() && all.begin()->second.net.count > 0;
  if (has_net) {
    table.add_column("net of lost VMs");
    table.add_column("a month");
  }
  for (const auto& [at, one] : all) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (is_shown(i)) row.push_back(label_of(axes[chosen[i]], at[i]));
    }
    for (std::size_t i = 0; i < money.columns.size(); ++i) {
      if (money.columns[i].title.empty()) continue;
      const std::optional<double> mean = one.amounts[i].value();
      row.push_back(mean ? money_text(*mean) : "-");
    }
    if (has_net) {
      row.push_back(money_text(*one.net.value()));
      row.push_back(money_text(*one.net_per_month.value()));
    }
    row.front().insert(0, "  ");
    table.add_row(std::move(row));
  }
  return table;
}

std::string combination_json(const Coordinates& at, const Combination& one, const StudyMoney& money,
                             const std::vector<GridAxis>& axes) {
  const std::vector<std::size_t> chosen = combination_axes(axes);
  JsonObject json;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    json.add(name_of(axes[chosen[i]]), json_of(axes[chosen[i]], at[i]));
  }
  json.add("runs", std::to_string(one.runs));
  for (std::size_t i = 0; i < money.columns.size(); ++i) {
    json.add(money.columns[i].name, json_number(one.amounts[i].value()));
  }
  json.add("net", json_number(one.net.value()))
      .add("net_per_month", json_number(one.net_per_month.value()));
  return json.text();
}

}  // namespace

std::string summary_money_text(ResultsDatabase& results, const StudyMoney& money,
                               const WorkloadPrices& prices) {
  if (money.text != nullptr) return money.text(results, prices);
  const std::vector<GridAxis> axes = results.axes();
  const RunMoney of_runs = money_of_runs(results, money, prices);
  return money_heading(prices, of_runs.is_relative, means_over(axes)) +
         table_of(combinations_of(of_runs, axes), money, axes).text() + std::string(money.note) +
         std::string(kSoldOnce);
}

std::string summary_money_json(ResultsDatabase& results, const StudyMoney& money,
                               const WorkloadPrices& prices) {
  if (money.json != nullptr) return money.json(results, prices);
  const std::vector<GridAxis> axes = results.axes();
  const RunMoney of_runs = money_of_runs(results, money, prices);
  std::vector<std::string> combinations;
  for (const auto& [at, one] : combinations_of(of_runs, axes)) {
    combinations.push_back(combination_json(at, one, money, axes));
  }
  JsonObject json;
  add_prices(json, prices, of_runs.is_relative);
  return json.add("combinations", json_list(combinations)).text();
}

}  // namespace cospot
