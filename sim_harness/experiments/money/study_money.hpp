#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/money/income.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

// Money in addition to the shares of a study: the value of its runs' revenue at prices of a
// vCPU-hour. A study declares whose revenue is whose; the harness does the rest.

/// The price that applies.
enum class PriceKind : std::uint8_t { kOnDemand, kSpot, kEconomy };

/// The value of a part of a run's revenue. Declared once, it is in the summary, its JSON, the
/// report and Python's `Results.money`.
struct MoneyColumn {
  std::string_view name;   ///< snake_case
  std::string_view title;  ///< in the summary's table; empty: not shown
  /// An Economy instance's price is the study's share of the on-demand price (`economy.price` in
  /// the joins), unless the price list has its own.
  PriceKind price = PriceKind::kOnDemand;
  std::string_view sql;  ///< vcpu-seconds, of `run`, `figures` (run_figures) and the joins
  std::string_view meaning;
  double Income::*part = nullptr;  ///< of a run's income; null: none of its
};

struct StudyMoney {
  std::vector<MoneyColumn> columns;
  std::string joins{};      ///< SQL: tables needed besides `run` and `figures`
  std::string_view note{};  ///< below the table of the summary
  /// SQL: the months that a run's revenue covers.
  std::string_view months = "unit.months";
  bool takes_flavors = true;  ///< accepts prices by flavor
  /// The study's own summary; default: means over workloads and seeds.
  StudySummary (*summary)(ResultsDatabase& results, const WorkloadPrices& prices) = nullptr;
};

/// Starts a query. The table `unit` has, by `workload`: the vCPUs in one of its vcpus (from the
/// database's inputs) times the hourly price on demand (`vms`), as a spot (`spots`) and as an
/// Economy instance (`economies`), from the prices ?1 (prices_json; 1 if missing); and the `months`
/// of its window.
inline constexpr std::string_view kWorkloadUnits = R"sql(
WITH vcpus AS (
  SELECT axis_value.label AS workload, vcpus_unit IS 'relative' AS is_relative,
    CASE vcpus_unit WHEN 'relative' THEN 1.0 ELSE CAST(coalesce(vcpus_unit, '1') AS REAL) END
      AS vcpus,
    coalesce(window_days, 14) / (365.25 / 12) AS months
  FROM axis_value LEFT JOIN input ON input.label = axis_value.label AND input.key = ''
  WHERE axis = 'workload'
), unit AS (
  SELECT vcpus.workload, is_relative, months,
    vcpus * coalesce(json_extract(price.value, '$.on_demand'), 1) AS vms,
    vcpus * coalesce(json_extract(price.value, '$.spot'), 1) AS spots,
    vcpus * coalesce(json_extract(price.value, '$.economy'),
                     json_extract(price.value, '$.on_demand'), 1) AS economies
  FROM vcpus LEFT JOIN json_each(?1) AS price ON price.key = vcpus.workload
)
)sql";

/// `{"<label>":{"on_demand":0.05,"spot":0.0125}}` for prices by flavor; otherwise `{}`.
[[nodiscard]] std::string prices_json(const WorkloadPrices& prices);

/// The remaining factor for an amount of kWorkloadUnits; 1 for prices by flavor, which are
/// included.
[[nodiscard]] VcpuHourPrices scale_of(const WorkloadPrices& prices);

/// The money of all runs.
struct RunMoney {
  std::vector<std::size_t> runs{};  ///< run_index, ascending
  /// By column of the study, by run; none if it does not apply, such as a comparison with a missing
  /// run.
  std::vector<std::vector<std::optional<double>>> amounts{};
  /// By run. Empty if the study's columns lack what VMs lose, or what others earn.
  std::vector<Income> incomes{};
  bool is_relative = false;  ///< some workload's vcpus are not vCPUs: prices are per unit-hour
};

[[nodiscard]] RunMoney money_of_runs(ResultsDatabase& results, const StudyMoney& money,
                                     const WorkloadPrices& prices);

/// The addition of `cospot summary --price`. Keys: currency, on_demand, spot, economy,
/// [by_workload,] relative_units, note, and combinations: [{the axes, runs, the columns}] or the
/// study's own.
[[nodiscard]] StudySummary money_summary(ResultsDatabase& results, const StudyMoney& money,
                                         const WorkloadPrices& prices);

/// Its beginning, before a table of means.
[[nodiscard]] StudySummary money_heading(const WorkloadPrices& prices, bool is_relative,
                                         std::string_view means_over);

/// The income of runs net of lost VMs, by position of the run, and in how many months.
struct NetIncome {
  RunValues net{}, months{};
};
[[nodiscard]] NetIncome net_income(const RunMoney& money);

/// Adds it, and that of a month, to a table of means.
void add_net(MeansTable& table, const NetIncome& income);

/// A mean amount of money.
[[nodiscard]] Figure money_figure(std::string_view name, std::string_view title);

}  // namespace cospot
