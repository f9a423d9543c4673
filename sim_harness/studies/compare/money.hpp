#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim_harness/prices/workload_prices.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// What a combination without VM loss comes to, the mean over the workloads.
struct MoneyOfBest {
  std::string size;  ///< `2%` or `500 hosts`
  bool is_bound = false;
  double spots_earned = 0;
  double spots_requested = 0;
  double net = 0;            ///< of the VMs that are lost
  double net_per_month = 0;  ///< of 365.25 / 12 days
  double net_per_host = 0;   ///< and month
  /// More, net of lost VMs, than the same policies earn without cooperation; none: such a run is
  /// not among the results.
  std::optional<double> more;
};

/// Money beside the shares of a comparison's summary.
struct SummaryMoney {
  WorkloadPrices prices{};
  bool is_relative = false;  ///< some workload's vcpus are no vCPUs: a price is that of a unit-hour
  std::vector<MoneyOfBest> best{};
  double vms_requested = 0;  ///< mean over all runs
  double vms_lost = 0;
  double vms_lost_most = 0;
};

[[nodiscard]] SummaryMoney summarise_money(ResultsDatabase& results, const WorkloadPrices& prices);

[[nodiscard]] std::string money_text(const SummaryMoney& money);
[[nodiscard]] std::string money_json(const SummaryMoney& money);

/// What the study declares.
[[nodiscard]] const StudyMoney& compare_money();

}  // namespace cospot
