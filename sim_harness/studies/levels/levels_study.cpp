#include "sim_harness/studies/levels/levels_study.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/parse_number.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/studies/levels/level_run.hpp"
#include "sim_harness/studies/levels/levels_figures.hpp"
#include "sim_harness/studies/levels/levels_settings.hpp"
#include "sim_harness/studies/levels/promise_plan.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

/// What a run came to.
struct LevelsRun {
  std::vector<LevelOutcome> levels{};
  std::uint64_t hosts = 0;
  std::optional<double> promised_percent{}, promised_memory_percent{};
  double income = 0;
};

using R = LevelsRun;
using MeasureList = std::vector<Measure<R>>;

template <class Get>
void add(MeasureList& all, const std::string& name, const char* unit, const std::string& meaning,
         Get get) {
  all.push_back(measure<R>({.name = name, .unit = unit, .meaning = meaning}, get));
}

/// Requests, and what became of them; `prefix` is what the level's columns begin with.
template <Level kLevel>
void add_level(MeasureList& all, const std::string& prefix, const char* unit, const char* admitted,
               const char* evicted) {
  constexpr auto kAt = static_cast<std::size_t>(kLevel);
  add(all, prefix + "_requests", unit, "requested",
      [](const R& run) { return run.levels[kAt].requests; });
  if constexpr (kLevel == Level::kVm) {
    add(all, prefix + "_rejected", unit, "rejected",
        [](const R& run) { return run.levels[kAt].rejected(); });
  } else {
    add(all, prefix + "_admitted", unit, admitted,
        [](const R& run) { return run.levels[kAt].placed(); });
    add(all, prefix + "_evictions", unit, evicted,
        [](const R& run) { return run.levels[kAt].evictions; });
  }
  add_revenue(
      all, prefix, unit, [](const R& run) { return run.levels[kAt].revenue_requested; },
      [](const R& run) { return run.levels[kAt].revenue(); });
}

const MeasureList& measures() {
  static const MeasureList made = [] {
    MeasureList all{
        measure<&R::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"})};
    add_level<Level::kVm>(all, "vm", "VMs", "", "");
    add_level<Level::kEconomy>(all, "economy", "economy instances",
                               "admitted: within the promise, and with a host", "evicted by VMs");
    add_level<Level::kSpot>(all, "spot", "spots", "admitted",
                            "evicted by VMs and economy instances");
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
    return all;
  }();
  return made;
}

/// Shares of what was requested or admitted, and the income beside that without an Economy class.
std::string views() {
  const std::vector<Column> datacenter = provider_table().columns();
  return fmt::format(R"sql(
CREATE VIEW run_figures AS
WITH without_economy AS (
  SELECT {1}, hosts, avg(income - vm_revenue) AS income
  FROM run WHERE economy_percent = 0 GROUP BY {1}, hosts)
SELECT run.run_index, {0},
  CAST(vm_rejected AS REAL) / NULLIF(vm_requests, 0) AS vm_rejection,
  CAST(economy_admitted AS REAL) / NULLIF(economy_requests, 0) AS economy_admission,
  CAST(economy_evictions AS REAL) / NULLIF(economy_admitted, 0) AS economy_eviction_ratio,
  economy_revenue / NULLIF(economy_revenue_requested, 0) AS economy_revenue_share,
  CAST(spot_evictions AS REAL) / NULLIF(spot_admitted, 0) AS spot_eviction_ratio,
  spot_revenue / NULLIF(spot_revenue_requested, 0) AS spot_revenue_share,
  (run.income - vm_revenue) / NULLIF(without_economy.income, 0) AS income_ratio
FROM run LEFT JOIN without_economy ON {2} AND without_economy.hosts = run.hosts;
)sql",
                     axes_sql(levels_table().columns()), axes_sql(datacenter, ""),
                     same_axes_sql(datacenter, "without_economy", "run"));
}

std::vector<Column> derived_columns() {
  return {derived_fraction("vm_rejection", "of the VM requests: rejected"),
          derived_fraction("economy_admission", "of the economy requests: admitted"),
          derived_fraction("economy_eviction_ratio", "of the admitted economy instances: evicted"),
          derived_fraction("economy_revenue_share",
                           "of the revenue requested by economy instances: earned"),
          derived_fraction("spot_eviction_ratio", "of the admitted spots: evicted"),
          derived_fraction("spot_revenue_share", "of the revenue requested by spots: earned"),
          derived_fraction(
              "income_ratio",
              "income of economy instances and spots over that of the same datacenter with "
              "economy_percent 0; empty without such a run")};
}

const Schema& schema() {
  static const Schema made{.study = "levels",
                           .axes = levels_table().columns(),
                           .measures = columns_of(std::span(measures())),
                           .derived = derived_columns(),
                           .views = views()};
  return made;
}

/// One run's policies and datacenter.
class LevelsSimulation {
 public:
  explicit LevelsSimulation(LevelsSettings settings)
      : settings_(std::move(settings)),
        inputs_(load_provider_inputs(settings_.workloads, settings_.host, settings_.sizes,
                                     settings_.sized_policies(), WorkloadClasses::kWithEconomy)) {
    // Without a promise nothing is predicted, so that no history is needed.
    if (!settings_.has_promises()) return;
    for (const auto& shared : inputs_.workloads) {
      vm_use_.push_back(vm_use_of(shared->workload(), settings_.economy));
    }
  }

  [[nodiscard]] const ProviderInputs& inputs() const { return inputs_; }

  [[nodiscard]] LevelsRun run(const Coordinates& coordinates) const {
    const auto at = levels_table().at(settings_, coordinates);
    SharedWorkload& workload = *inputs_.workloads[at.index(kWorkloadAxis)];
    const std::size_t hosts = workload.hosts(at.get(kSizeAxis), at.index(kVmAxis));
    const std::string& promise = at.get(kPromiseAxis);
    const bool is_limited = promise != kUnlimitedPromise;
    const std::vector<PromiseStep> steps =
        is_limited ? promise_steps(vm_use_[at.index(kWorkloadAxis)], hosts, settings_,
                                   parse_number(promise).value())
                   : std::vector<PromiseStep>();
    const std::vector<std::uint8_t> levels =
        levels_of(workload.workload(), at.get(kEconomyPercentAxis),
                  static_cast<std::uint64_t>(at.get(kLevelsSeedAxis)));
    RunSettings policies = run_settings_at(at, hosts);
    policies.between = {at.get(kEconomyAxis)};
    ProviderParts parts{.level_of = levels};
    if (is_limited) {
      policies.between[0].filters.push_back({.name = "EconomyPromise"});
      parts.forecasts = std::make_unique<PromiseOwner>(steps, workload.workload(), levels);
    }
    ProviderRun simulation(workload.workload(), workload.schedule(), policies,
                           settings_.host.table(hosts), std::move(parts));
    simulation.run();
    const SimulationEngine& engine = simulation.engine();
    LevelsRun result{.levels = engine.level_outcomes(), .hosts = hosts};
    result.income = income_of(result.levels);
    if (is_limited) {
      const HostMix::Sum all = settings_.host.sum(hosts);
      result.promised_percent = mean_percent(steps, &PromiseStep::vcpus, all.vcpus);
      result.promised_memory_percent = mean_percent(steps, &PromiseStep::memory_mb, all.memory_mb);
    }
    return result;
  }

 private:
  [[nodiscard]] double income_of(const std::vector<LevelOutcome>& levels) const {
    constexpr double kMicroseconds = 1e6;
    return (static_cast<double>(levels[0].revenue()) +
            static_cast<double>(levels[1].revenue()) * settings_.economy_price +
            static_cast<double>(levels[2].revenue()) * settings_.economy.opportunistic_price) /
           kMicroseconds;
  }

  [[nodiscard]] static double mean_percent(const std::vector<PromiseStep>& steps,
                                           std::int64_t PromiseStep::*amount,
                                           std::int64_t of_all_hosts) {
    double sum = 0;
    for (const PromiseStep& step : steps) sum += static_cast<double>(step.*amount);
    const auto capacity = static_cast<double>(of_all_hosts);
    return 100 * sum / static_cast<double>(steps.size()) / capacity;
  }

  LevelsSettings settings_;
  ProviderInputs inputs_;
  std::vector<VmUse> vm_use_;  // of each workload; none without promises
};

Experiment load(LevelsSettings settings) {
  const auto simulation = std::make_shared<const LevelsSimulation>(settings);
  const ProviderInputs& inputs = simulation->inputs();
  settings.workloads = as_recorded(settings.workloads, inputs.windows);
  Experiment experiment{.schema = schema(),
                        .axes = levels_table().axes(settings),
                        .group_by = provider_axis_names(),  // the same policies and datacenter
                        .configuration = levels_table().json(settings).dump(),
                        .inputs = inputs.records,
                        .warnings = inputs.warnings};
  experiment.run_group = [simulation, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      record(run, values_of(std::span(measures()), simulation->run(grid.coordinates(run))));
    }
  };
  return experiment;
}

}  // namespace

Study levels_study() {
  return {.name = "levels",
          .summary = "VMs, economy instances and spots: three priority levels in one datacenter",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_levels_settings(file)] { return load(settings); };
          },
          .figures = levels_figures,
          .money = levels_money};
}

}  // namespace cospot
