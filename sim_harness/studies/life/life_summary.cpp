#include "sim_harness/studies/life/life_summary.hpp"

#include <fmt/format.h>

#include <optional>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/studies/provider/combination_summary.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"

namespace cospot {
namespace {

/// Of the values that are there.
std::optional<double> mean_of(const FigureValues& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const FigureValue& one : values) sum += one.value;
  return sum / static_cast<double>(values.size());
}

std::string cell(const SummaryFigure& figure, const FigureValues& values) {
  const std::optional<double> mean = mean_of(values);
  if (!mean) return "-";
  return figure.is_percent ? fmt::format("{:.3f}%", 100 * *mean) : fmt::format("{:.1f}", *mean);
}

const CombinationSummary& summary() {
  static const CombinationSummary made{
      .title = "Disruptions",
      .settings = provider_summary_settings({{"disruptions", "run.disruptions"}}),
      .figures = {{"vm_loss", "VM loss"},
                  {"vm_loss_by_disruptions", "points by disruptions"},
                  {"spot_share", "spot revenue"},
                  {"spot_revenue_by_disruptions", "change by disruptions"},
                  {"gain", "gain"},
                  {"evictions", "evictions", false},
                  {"vm_rejected", "VMs rejected", false},
                  {"vms_lost", "VMs lost", false},
                  {"vms_evacuated", "evacuated", false},
                  {"spots_returned", "spots returned", false}},
      .cell = cell,
      .json = [](const FigureValues& values) { return json_number(mean_of(values)); },
      .note =
          "(means over the workloads; VM loss, spot revenue: of what was requested; points, "
          "change: VM\n"
          "loss minus, and spot revenue relative to, that of the same runs without disruptions; "
          "gain:\n"
          "over OTN 1 and SAF off with the same disruptions)\n"};
  return made;
}

}  // namespace

std::string life_summary_text(ResultsDatabase& results, Timing /*timing*/) {
  return combination_text(results, summary());
}

std::string life_summary_json(ResultsDatabase& results, Timing /*timing*/) {
  return combination_json(results, summary());
}

const StudyMoney& life_money() {
  static const StudyMoney made{
      .columns = {kVmsLost,
                  kVmsRequested,
                  kVmsEarned,
                  {.name = "vm_lost_by_disruptions",
                   .title = "lost by disruptions",
                   .sql = "figures.vm_loss_by_disruptions * run.vm_revenue_requested",
                   .meaning = "the points that VMs lose by disruptions, of what they requested"},
                  kSpotsEarned,
                  kSpotsRequested,
                  {.name = "spot_more_by_disruptions",
                   .title = "more by disruptions",
                   .price = PriceKind::kSpot,
                   .sql = "run.spot_revenue - without.spot_revenue",
                   .meaning = "earned by spots beyond the same run with disruptions `none`"},
                  kMoreThanBaseline},
      .joins =
          "LEFT JOIN baseline USING (run_index) "
          "LEFT JOIN without_disruptions AS without USING (run_index)",
      .note = "  (by disruptions: compared with the same runs without any)\n"};
  return made;
}

}  // namespace cospot
