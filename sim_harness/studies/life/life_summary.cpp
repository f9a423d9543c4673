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
      .title = "Life of requests",
      .settings = provider_summary_settings({{"life", "run.life"}}),
      .figures = {{"vm_loss", "VM loss"},
                  {"vm_loss_by_life", "points by life"},
                  {"spot_share", "spot revenue"},
                  {"spot_revenue_by_life", "change by life"},
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
          "loss minus, and spot revenue relative to, that of the same runs with the life none; "
          "gain:\n"
          "over OTN 1 and SAF off with the same life)\n"};
  return made;
}

/// As the view run_figures has them: OTN 1 and SAF off with the same life, and the life `none`.
constexpr std::string_view kOtherRuns = R"sql(
LEFT JOIN run AS baseline ON
  baseline.workload = run.workload AND baseline.headroom_percent IS run.headroom_percent AND
  baseline.hosts = run.hosts AND baseline.vm = run.vm AND baseline.spot = run.spot AND
  baseline.evictor = run.evictor AND baseline.saf = 0 AND baseline.otn = 1 AND
  baseline.life = run.life
LEFT JOIN run AS without ON
  without.workload = run.workload AND without.headroom_percent IS run.headroom_percent AND
  without.hosts = run.hosts AND without.vm = run.vm AND without.spot = run.spot AND
  without.evictor = run.evictor AND without.saf = run.saf AND without.otn = run.otn AND
  without.life = 'none'
)sql";

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
                  {.name = "vm_lost_by_life",
                   .title = "lost by life",
                   .sql = "figures.vm_loss_by_life * run.vm_revenue_requested",
                   .meaning = "the points that VMs lose by the life, of what they requested"},
                  kSpotsEarned,
                  kSpotsRequested,
                  {.name = "spot_more_by_life",
                   .title = "more by life",
                   .price = PriceKind::kSpot,
                   .sql = "run.spot_revenue - without.spot_revenue",
                   .meaning = "earned by spots beyond the same run with the life `none`"},
                  kMoreThanBaseline},
      .joins = kOtherRuns,
      .note = "  (by life: beside the same runs with the life none)\n"};
  return made;
}

}  // namespace cospot
