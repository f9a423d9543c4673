#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

// Money beside the shares of a study: what the revenue in its runs is worth at prices of a
// vCPU-hour. A study declares which of its revenue is whose; everything else is the harness's.

/// Which price counts.
enum class PriceKind : std::uint8_t { kOnDemand, kSpot, kEconomy };

/// What a part of a run's revenue is worth: declared once, it is in the summary, its JSON, the
/// report and Python's `Results.money`.
struct MoneyColumn {
  std::string_view name;   ///< snake_case
  std::string_view title;  ///< in the summary's table; empty: not in it
  /// An Economy instance's price is that of the study's share of the one on demand, which the joins
  /// name `economy.price`, unless the price list has one of its own.
  PriceKind price = PriceKind::kOnDemand;
  std::string_view sql;  ///< vcpu-seconds, of `run`, `figures` (run_figures) and the joins
  std::string_view meaning;
};

struct StudyMoney {
  std::vector<MoneyColumn> columns;
  std::string joins{};      ///< SQL: what the columns need beside `run` and `figures`
  std::string_view note{};  ///< below the table of the summary
  /// SQL: the months that a run's revenue is of.
  std::string_view months = "unit.months";
  bool takes_flavors = true;  ///< prices by flavor, too
  /// A summary of the study's own; without it the means over workloads and seeds.
  StudySummary (*summary)(ResultsDatabase& results, const WorkloadPrices& prices) = nullptr;
};

/// Starts a query: the table `unit` has by `workload` how many vCPUs one of its vcpus is, as the
/// study in the database says, as what an hour of it costs on demand (`vms`), as a spot (`spots`)
/// and as an Economy instance
/// (`economies`) by the prices ?1 (prices_json); 1 without some; and how many `months` its window
/// has.
inline constexpr std::string_view kWorkloadUnits = R"sql(
WITH vcpus AS (
  SELECT json_extract(workload.value, '$.label') AS workload,
    json_extract(workload.value, '$.vcpus_unit') IS 'relative' AS is_relative,
    CASE json_extract(workload.value, '$.vcpus_unit') WHEN 'relative' THEN 1.0
      ELSE CAST(coalesce(json_extract(workload.value, '$.vcpus_unit'), '1') AS REAL) END AS vcpus,
    coalesce(json_extract(workload.value, '$.window_days'), 14) / (365.25 / 12) AS months
  FROM sweep, json_each(sweep.configuration, '$.workloads') AS workload
), unit AS (
  SELECT vcpus.workload, is_relative, months,
    vcpus * coalesce(json_extract(price.value, '$.on_demand'), 1) AS vms,
    vcpus * coalesce(json_extract(price.value, '$.spot'), 1) AS spots,
    vcpus * coalesce(json_extract(price.value, '$.economy'),
                     json_extract(price.value, '$.on_demand'), 1) AS economies
  FROM vcpus LEFT JOIN json_each(?1) AS price ON price.key = vcpus.workload
)
)sql";

/// `{"<label>":{"on_demand":0.05,"spot":0.0125}}` of prices by flavor; else `{}`.
[[nodiscard]] std::string prices_json(const WorkloadPrices& prices);

/// What an amount of kWorkloadUnits still has to be multiplied by: by flavor it is money already.
[[nodiscard]] VcpuHourPrices scale_of(const WorkloadPrices& prices);

/// What all runs come to.
struct RunMoney {
  std::vector<std::size_t> runs{};  ///< run_index, ascending
  /// By column of the study, by run; none: such as that over a run that is not there.
  std::vector<std::vector<std::optional<double>>> amounts{};
  /// By run: what spots and Economy instances earn less what VMs lose, of a window and of a month.
  /// Empty where the study's columns do not tell both.
  std::vector<double> net{};
  std::vector<double> net_per_month{};
  bool is_relative = false;  ///< some workload's vcpus are no vCPUs: prices are of a unit-hour
};

[[nodiscard]] RunMoney money_of_runs(ResultsDatabase& results, const StudyMoney& money,
                                     const WorkloadPrices& prices);

/// What `cospot summary --price` adds. Keys: currency, on_demand, spot, economy, [by_workload,]
/// relative_units, note, and combinations: [{the axes, runs, the columns}] or the study's own.
[[nodiscard]] StudySummary money_summary(ResultsDatabase& results, const StudyMoney& money,
                                         const WorkloadPrices& prices);

/// What that begins with, before a table of means over something.
[[nodiscard]] StudySummary money_heading(const WorkloadPrices& prices, bool is_relative,
                                         std::string_view means_over);

/// A mean of money in it.
[[nodiscard]] Figure money_figure(std::string_view name, std::string_view title);

}  // namespace cospot
