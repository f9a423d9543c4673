#include "sim_harness/studies/levels/levels_summary.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "sim_harness/studies/mean_interval.hpp"
#include "sim_harness/studies/provider/combination_summary.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"

namespace cospot {
namespace {

/// Over the workloads, each the mean of its seeds, or over the seeds of a single one; nothing
/// without a value.
std::optional<MeanInterval> over_workloads(const FigureValues& values) {
  if (values.empty()) return std::nullopt;
  std::map<std::string, std::vector<double>> seeds_of;
  for (const FigureValue& one : values) seeds_of[one.workload].push_back(one.value);
  if (seeds_of.size() == 1) return mean_interval(seeds_of.begin()->second);
  std::vector<double> means;
  for (const auto& [workload, seeds] : seeds_of) means.push_back(mean_interval(seeds).mean);
  return mean_interval(means);
}

std::string cell(const SummaryFigure& figure, const FigureValues& values) {
  const std::optional<MeanInterval> mean = over_workloads(values);
  if (!mean) return "-";
  const auto number = [&](double value) {
    return figure.is_percent ? fmt::format("{:.2f}", 100 * value) : fmt::format("{:.3f}", value);
  };
  std::string text = number(mean->mean);
  if (mean->half_width) text += " +- " + number(*mean->half_width);
  return figure.is_percent ? text + "%" : text;
}

const CombinationSummary& summary() {
  static const CombinationSummary made{
      .title = "Three priority levels",
      .settings =
          provider_summary_settings({{"economy", "run.economy"},
                                     {"economy_percent", "printf('%g', run.economy_percent)"},
                                     {"promise", "run.promise"}}),
      .figures = {{"vm_rejection", "VMs rejected"},
                  {"economy_eviction_ratio", "economy evicted"},
                  {"economy_revenue_share", "economy revenue"},
                  {"spot_eviction_ratio", "spots evicted"},
                  {"spot_revenue_share", "spot revenue"},
                  {"income_ratio", "income ratio", false}},
      .cell = cell,
      .json =
          [](const FigureValues& values) {
            return mean_json(over_workloads(values), "half_width");
          },
      .note =
          "(evicted: of those admitted; revenue: of what was requested; income ratio: of economy\n"
          "instances and spots, over that of the same datacenter with economy_percent 0; +-: 95 %\n"
          "interval over the workloads, each the mean of its seeds, or over the seeds of a single "
          "one)\n"};
  return made;
}

}  // namespace

std::string levels_summary_text(ResultsDatabase& results, Timing /*timing*/) {
  return combination_text(results, summary());
}

std::string levels_summary_json(ResultsDatabase& results, Timing /*timing*/) {
  return combination_json(results, summary());
}

const StudyMoney& levels_money() {
  static const StudyMoney made{
      .columns = {kVmsLost,
                  kVmsRequested,
                  kVmsEarned,
                  {.name = "economy_earned",
                   .title = "economy earns",
                   .price = PriceKind::kEconomy,
                   .sql = "run.economy_revenue",
                   .meaning = "earned by economy instances, at economy_price of the on-demand "
                              "price"},
                  {.name = "economy_requested",
                   .title = "of requested",
                   .price = PriceKind::kEconomy,
                   .sql = "run.economy_revenue_requested",
                   .meaning = "requested by economy instances, at the same price"},
                  kSpotsEarned,
                  kSpotsRequested},
      .joins =
          "CROSS JOIN (SELECT json_extract(configuration, '$.economy_price') AS price "
          "FROM sweep) AS economy",
      .note = "  (economy instances: at economy_price of the on-demand price)\n"};
  return made;
}

}  // namespace cospot
