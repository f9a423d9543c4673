// Economy instances between VMs and spots: three priority levels in one datacenter, and the promise
// made to the middle one.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim_harness/studies/provider/parts/economy_levels.hpp"
#include "sim_harness/studies/provider/parts/promise_plan.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

using R = RunOutcome;
using MeasureList = std::vector<Measure<R>>;

/// Requests, and what became of them; `prefix` is what the level's columns begin with.
template <Level kLevel>
void add_level(MeasureList& all, const std::string& prefix, const char* unit, const char* admitted,
               const char* evicted) {
  constexpr auto kAt = static_cast<std::size_t>(kLevel);
  add_count(all, prefix + "_requests", unit, "requested",
            [](const R& one) { return one.levels[kAt].requests; });
  if constexpr (kLevel == Level::kVm) {
    add_count(all, prefix + "_rejected", unit, "rejected",
              [](const R& one) { return one.levels[kAt].rejected(); });
  } else {
    add_count(all, prefix + "_admitted", unit, admitted,
              [](const R& one) { return one.levels[kAt].placed(); });
    add_count(all, prefix + "_evictions", unit, evicted,
              [](const R& one) { return one.levels[kAt].evictions; });
  }
  add_revenue(
      all, prefix, unit, [](const R& one) { return one.levels[kAt].revenue_requested; },
      [](const R& one) { return one.levels[kAt].revenue(); });
}

void add_economy(MeasureList& all) {
  add_level<Level::kEconomy>(all, "economy", "economy instances",
                             "admitted: within the promise, and with a host", "evicted by VMs");
}

void add_promise_measures(MeasureList& all) {
  all.push_back(measure<&R::promised_percent>({.name = "promised_percent",
                                               .unit = "% of vcpus",
                                               .meaning = "promised to the Economy class, mean "
                                                          "over the predictions; empty: "
                                                          "unlimited",
                                               .may_be_null = true,
                                               .decimals = 4}));
  all.push_back(measure<&R::promised_memory_percent>({.name = "promised_memory_percent",
                                                      .unit = "% of memory",
                                                      .meaning = "the same of memory",
                                                      .may_be_null = true,
                                                      .decimals = 4}));
  all.push_back(
      measure<&R::income>({.name = "income",
                           .unit = "vcpu-seconds",
                           .meaning = "revenue of all levels, each at its price (VMs at 1)",
                           .decimals = 0}));
}

/// The income of the same datacenter in which no spot is sold as an economy instance.
std::string without_economy(std::span<const Column> axes) {
  std::vector<Column> others;
  for (const Column& axis : axes) {
    const bool is_economy = axis.name == kEconomyAxis.name ||
                            axis.name == kEconomyPercentAxis.name ||
                            axis.name == kPromiseAxis.name || axis.name == kSeedAxis.name;
    if (!is_economy) others.push_back(axis);
  }
  const bool is_axis = std::ranges::find(axes, "hosts", &Column::name) != axes.end();
  const std::string names = axes_sql(others, "") + (is_axis ? "" : ", hosts");
  return fmt::format(
      "CREATE VIEW without_economy AS\n"
      "SELECT run.run_index, other.income FROM run JOIN (\n"
      "  SELECT {0}, avg(income - vm_revenue) AS income\n"
      "  FROM run WHERE economy_percent = 0 GROUP BY {0}) AS other\n"
      "ON {1} AND other.hosts = run.hosts;\n",
      names, same_axes_sql(others, "other", "run"));
}

constexpr MoneyColumn kEconomyEarned{.name = "economy_earned",
                                     .title = "economy earns",
                                     .price = PriceKind::kEconomy,
                                     .sql = "run.economy_revenue",
                                     .meaning =
                                         "earned by economy instances, at economy_price of the "
                                         "on-demand price",
                                     .part = &Income::economy_earned};
constexpr MoneyColumn kEconomyRequested{
    .name = "economy_requested",
    .title = "of requested",
    .price = PriceKind::kEconomy,
    .sql = "run.economy_revenue_requested",
    .meaning = "requested by economy instances, at the same price"};
constexpr Figure kEconomyEvicted{
    .name = "economy_eviction_ratio", .title = "economy evicted", .meaning = "of those admitted"};
constexpr Figure kEconomyRevenue{.name = "economy_revenue_share",
                                 .title = "economy revenue",
                                 .meaning = "of what was requested"};
constexpr Figure kIncomeRatio{
    .name = "income_ratio",
    .title = "income ratio",
    .unit = FigureUnit::kNumber,
    .decimals = 3,
    .meaning =
        "of economy instances and spots, over that of the same datacenter with "
        "economy_percent 0",
    .better = Better::kHigh};
constexpr std::string_view kJoinEconomyPrice =
    " CROSS JOIN (SELECT json_extract(configuration, '$.economy_price') AS price "
    "FROM sweep) AS economy ";

std::any use_of_vms(const ProviderStudySettings& settings, const Workload& workload) {
  // Without a promise nothing is predicted, so that no history is needed.
  if (!settings.has_promises()) return {};
  return std::make_shared<const VmUse>(vm_use_of(workload, settings.economy));
}

double mean_percent(const std::vector<PromiseStep>& steps, std::int64_t PromiseStep::*amount,
                    std::int64_t of_all_hosts) {
  double sum = 0;
  for (const PromiseStep& step : steps) sum += static_cast<double>(step.*amount);
  const auto capacity = static_cast<double>(of_all_hosts);
  return 100 * sum / static_cast<double>(steps.size()) / capacity;
}

void add_class(const PartRun& run) {
  const ProviderStudySettings& settings = run.at.settings();
  run.parts.level_of = levels_of(run.workload, run.at.get(kEconomyPercentAxis),
                                 static_cast<std::uint64_t>(run.at.get(kSeedAxis)));
  run.settings.between = {run.at.get(kEconomyAxis)};
  const std::optional<double>& confidence = run.at.get(kPromiseAxis).confidence;
  if (!confidence) return;
  const auto& use = *std::any_cast<const std::shared_ptr<const VmUse>&>(run.shared);
  const HostMix::Sum hosts = settings.host.sum(run.settings.hosts);
  std::vector<PromiseStep> steps = promise_steps(use, hosts, settings, *confidence);
  run.settings.between[0].filters.push_back({.name = "EconomyPromise"});
  run.outcome.promised_percent = mean_percent(steps, &PromiseStep::vcpus, hosts.vcpus);
  run.outcome.promised_memory_percent =
      mean_percent(steps, &PromiseStep::memory_mb, hosts.memory_mb);
  run.parts.forecasts.push_back(
      std::make_unique<PromiseOwner>(std::move(steps), run.workload, run.parts.level_of));
}

void add_income(const PartRun& run) {
  constexpr double kMicroseconds = 1e6;
  const ProviderStudySettings& settings = run.at.settings();
  const std::vector<LevelOutcome>& levels = run.outcome.levels;
  run.outcome.income =
      (static_cast<double>(levels[0].revenue()) +
       static_cast<double>(levels[1].revenue()) * settings.economy_price +
       static_cast<double>(levels[2].revenue()) * settings.economy.opportunistic_price) /
      kMicroseconds;
}

}  // namespace

StudyPart economy_part() {
  StudyPart part{
      .rows = {kEconomyAxis, kEconomyPercentAxis, kPromiseAxis, kForecasterSetting,
               kEconomyPriceSetting, economy_promise_setting()},
      .draws = true,
      .classes = WorkloadClasses::kWithEconomy,
      .derived =
          {{derived_fraction("economy_admission", "of the economy requests: admitted"),
            "CAST(run.economy_admitted AS REAL) / NULLIF(run.economy_requests, 0)"},
           {derived_fraction("economy_eviction_ratio",
                             "of the admitted economy instances: evicted"),
            "CAST(run.economy_evictions AS REAL) / NULLIF(run.economy_admitted, 0)"},
           {derived_fraction("economy_revenue_share",
                             "of the revenue requested by economy instances: earned"),
            "run.economy_revenue / NULLIF(run.economy_revenue_requested, 0)"},
           {derived_fraction(
                "income_ratio",
                "income of economy instances and spots over that of the same datacenter with "
                "economy_percent 0; empty without such a run"),
            "(run.income - run.vm_revenue) / NULLIF(without_economy.income, 0)"}},
      .views = without_economy,
      .joins = " LEFT JOIN without_economy USING (run_index)",
      .figures = {kEconomyEvicted, kEconomyRevenue, kIncomeRatio},
      .money = {kEconomyEarned, kEconomyRequested},
      .money_joins = std::string(kJoinEconomyPrice),
      .share = use_of_vms,
      .add = add_class,
      .finish = add_income};
  add_economy(part.measures);
  add_promise_measures(part.measures);
  return part;
}

const ProviderPreset& levels_preset() {
  static const ProviderPreset made = [] {
    ProviderPreset preset{
        .name = "levels",
        .summary = "VMs, economy instances and spots: three priority levels in one datacenter",
        .page = "docs/economy.md",
        .subject = "study levels",
        .rows = provider_rows(),
        .parts = {"economy"},
        .measures = {hosts_measure()},
        .derived = {{derived_fraction("vm_rejection", "of the VM requests: rejected"),
                     "CAST(run.vm_rejected AS REAL) / NULLIF(run.vm_requests, 0)"},
                    {derived_fraction("spot_eviction_ratio", "of the admitted spots: evicted"),
                     "CAST(run.spot_evictions AS REAL) / NULLIF(run.spot_admitted, 0)"},
                    {derived_fraction("spot_revenue_share",
                                      "of the revenue requested by spots: earned"),
                     "run.spot_revenue / NULLIF(run.spot_revenue_requested, 0)"}},
        .figures =
            {.title = "Three priority levels",
             .figures = {{.name = "vm_rejection", .title = "VMs rejected", .better = Better::kLow},
                         kEconomyEvicted,
                         kEconomyRevenue,
                         {.name = "spot_eviction_ratio",
                          .title = "spots evicted",
                          .meaning = "of those admitted"},
                         {.name = "spot_revenue_share",
                          .title = "spot revenue",
                          .meaning = "of what was requested"},
                         kIncomeRatio}},
        .money = {.columns = {kVmsLost, kVmsRequested, kVmsEarned, kEconomyEarned,
                              kEconomyRequested, kSpotsEarned, kSpotsRequested},
                  .joins = std::string(kJoinEconomyPrice),
                  .note = "  (economy instances: at economy_price of the on-demand price)\n"}};
    add_level<Level::kVm>(preset.measures, "vm", "VMs", "", "");
    add_economy(preset.measures);
    add_level<Level::kSpot>(preset.measures, "spot", "spots", "admitted",
                            "evicted by VMs and economy instances");
    add_promise_measures(preset.measures);
    return preset;
  }();
  return made;
}

}  // namespace cospot
