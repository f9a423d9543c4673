#include "sim_harness/studies/levels/levels_study.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/prepared_evictor.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/levels/level_run.hpp"
#include "sim_harness/studies/levels/levels_settings.hpp"
#include "sim_harness/studies/levels/levels_summary.hpp"
#include "sim_harness/studies/levels/promise_plan.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/value_axes.hpp"

namespace cospot {
namespace {

/// What a run came to. Counts and revenue of each level.
struct LevelsResult {
  std::uint64_t hosts = 0;
  std::uint64_t vm_requests = 0, vm_rejected = 0;
  Revenue vm_revenue_requested = 0, vm_revenue = 0;
  std::uint64_t economy_requests = 0, economy_admitted = 0, economy_evictions = 0;
  Revenue economy_revenue_requested = 0, economy_revenue = 0;
  std::uint64_t spot_requests = 0, spot_admitted = 0, spot_evictions = 0;
  Revenue spot_revenue_requested = 0, spot_revenue = 0;
  std::optional<double> promised_percent{}, promised_memory_percent{};
  double income = 0;
};

const std::vector<Measure<LevelsResult>>& measures() {
  using L = LevelsResult;
  const char* const vcpu_seconds = "vcpu-seconds";
  static const std::vector<Measure<L>> all{
      measure<&L::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"}),
      measure<&L::vm_requests>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"}),
      measure<&L::vm_rejected>({.name = "vm_rejected", .unit = "VMs", .meaning = "rejected"}),
      measure<&L::vm_revenue_requested>(
          {.name = "vm_revenue_requested", .unit = vcpu_seconds, .meaning = "requested by VMs"}),
      measure<&L::vm_revenue>(
          {.name = "vm_revenue", .unit = vcpu_seconds, .meaning = "earned by VMs"}),
      measure<&L::economy_requests>(
          {.name = "economy_requests", .unit = "economy instances", .meaning = "requested"}),
      measure<&L::economy_admitted>({.name = "economy_admitted",
                                     .unit = "economy instances",
                                     .meaning = "admitted: within the promise, and with a host"}),
      measure<&L::economy_evictions>(
          {.name = "economy_evictions", .unit = "economy instances", .meaning = "evicted by VMs"}),
      measure<&L::economy_revenue_requested>({.name = "economy_revenue_requested",
                                              .unit = vcpu_seconds,
                                              .meaning = "requested by economy instances"}),
      measure<&L::economy_revenue>({.name = "economy_revenue",
                                    .unit = vcpu_seconds,
                                    .meaning = "earned by economy instances"}),
      measure<&L::spot_requests>(
          {.name = "spot_requests", .unit = "spots", .meaning = "requested"}),
      measure<&L::spot_admitted>({.name = "spot_admitted", .unit = "spots", .meaning = "admitted"}),
      measure<&L::spot_evictions>({.name = "spot_evictions",
                                   .unit = "spots",
                                   .meaning = "evicted by VMs and economy instances"}),
      measure<&L::spot_revenue_requested>({.name = "spot_revenue_requested",
                                           .unit = vcpu_seconds,
                                           .meaning = "requested by spots"}),
      measure<&L::spot_revenue>(
          {.name = "spot_revenue", .unit = vcpu_seconds, .meaning = "earned by spots"}),
      measure<&L::promised_percent>({.name = "promised_percent",
                                     .unit = "% of vcpus",
                                     .meaning = "promised to the Economy class, mean over the "
                                                "predictions; empty: unlimited",
                                     .may_be_null = true,
                                     .decimals = 4}),
      measure<&L::promised_memory_percent>({.name = "promised_memory_percent",
                                            .unit = "% of memory",
                                            .meaning = "the same of memory",
                                            .may_be_null = true,
                                            .decimals = 4}),
      measure<&L::income>({.name = "income",
                           .unit = vcpu_seconds,
                           .meaning = "revenue of all levels, each at its price (VMs at 1)",
                           .decimals = 0})};
  return all;
}

/// Shares of what was requested or admitted, and the income beside that without an Economy class.
constexpr std::string_view kViews = R"sql(
CREATE VIEW run_figures AS
WITH without_economy AS (
  SELECT workload, headroom_percent, hosts, vm, spot, evictor, saf, otn, avg(income - vm_revenue) AS income
  FROM run WHERE economy_percent = 0 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)
SELECT run.run_index, run.workload, run.headroom_percent, run.vm, run.spot, run.evictor, run.saf,
  run.otn, run.economy, run.economy_percent, run.promise, run.seed,
  CAST(vm_rejected AS REAL) / NULLIF(vm_requests, 0) AS vm_rejection,
  CAST(economy_admitted AS REAL) / NULLIF(economy_requests, 0) AS economy_admission,
  CAST(economy_evictions AS REAL) / NULLIF(economy_admitted, 0) AS economy_eviction_ratio,
  economy_revenue / NULLIF(economy_revenue_requested, 0) AS economy_revenue_share,
  CAST(spot_evictions AS REAL) / NULLIF(spot_admitted, 0) AS spot_eviction_ratio,
  spot_revenue / NULLIF(spot_revenue_requested, 0) AS spot_revenue_share,
  (run.income - vm_revenue) / NULLIF(without_economy.income, 0) AS income_ratio
FROM run LEFT JOIN without_economy ON
  without_economy.workload = run.workload AND
  without_economy.headroom_percent IS run.headroom_percent AND
  without_economy.hosts = run.hosts AND without_economy.vm = run.vm AND
  without_economy.spot = run.spot AND without_economy.evictor = run.evictor AND
  without_economy.saf = run.saf AND without_economy.otn = run.otn;
)sql";

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
  static const Schema made{
      .study = "levels",
      .axes = provider_columns(
          {axis_column("economy", ColumnType::kText, "",
                       "label of the policy that places economy instances"),
           axis_column("economy_percent", ColumnType::kNumber, "% of spots",
                       "that are sold as economy instances"),
           axis_column("promise", ColumnType::kText, "",
                       "confidence of what is promised to the Economy class, or `unlimited`"),
           axis_column("seed", ColumnType::kInteger, "", "of the draw of spots")}),
      .measures = columns_of(std::span(measures())),
      .derived = derived_columns(),
      .views = std::string(kViews)};
  return made;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return provider_axes(root, {chain_axis(root, "economy"), number_axis(root, "economy_percent"),
                              text_axis(root, "promise"), integer_axis(root, "seed")});
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

  [[nodiscard]] LevelsResult run(const Coordinates& at) const {
    SharedWorkload& workload = *inputs_.workloads[at[0]];
    const std::size_t hosts = workload.hosts(settings_.sizes[at[1]], at[2]);
    const std::string& promise = settings_.promises[at[9]];
    const bool is_limited = promise != kUnlimitedPromise;
    const std::vector<PromiseStep> steps =
        is_limited ? promise_steps(vm_use_[at[0]], hosts, settings_, std::stod(promise))
                   : std::vector<PromiseStep>();
    const std::vector<std::uint8_t> levels =
        levels_of(workload.workload(), settings_.percents[at[8]],
                  static_cast<std::uint64_t>(settings_.seeds[at[10]]));
    LevelEngine engine(workload.schedule(), levels, settings_.host.table(hosts),
                       allocator(workload, at, is_limited));
    PromiseOwner owner(steps, workload.workload(), levels);
    if (is_limited) engine.set_forecasts(&owner);
    engine.run();
    LevelsResult result = counts_of(engine.results());
    result.hosts = hosts;
    if (is_limited) {
      const HostMix::Sum all = settings_.host.sum(hosts);
      result.promised_percent = mean_percent(steps, &PromiseStep::vcpus, all.vcpus);
      result.promised_memory_percent = mean_percent(steps, &PromiseStep::memory_mb, all.memory_mb);
    }
    return result;
  }

 private:
  [[nodiscard]] LevelAllocator allocator(SharedWorkload& workload, const Coordinates& at,
                                         bool is_limited) const {
    const ChainSide side = settings_.saf[at[5]] ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
    ChainSpec economy = settings_.economy_chains[at[7]];
    if (is_limited) economy.filters.push_back({.name = "EconomyPromise"});
    const bool with_placements = workload.schedule().has_placements();
    return {.chains = {make_chain(settings_.vm[at[2]], side, with_placements),
                       make_chain(economy, side, with_placements),
                       make_chain(settings_.spot[at[3]], ChainSide::kSpot, with_placements)},
            .evictor = prepared_evictor(make_evictor(settings_.evictors[at[4]]),
                                        workload.workload(), workload.schedule()),
            .otn = settings_.otn[at[6]]};
  }

  [[nodiscard]] LevelsResult counts_of(const std::vector<LevelResult>& levels) const {
    const LevelResult& vm = levels[0];
    const LevelResult& economy = levels[1];
    const LevelResult& spot = levels[2];
    LevelsResult result;
    result.vm_requests = vm.requests;
    result.vm_rejected = vm.rejected;
    result.vm_revenue_requested = vm.revenue_requested;
    result.vm_revenue = vm.revenue;
    result.economy_requests = economy.requests;
    result.economy_admitted = economy.requests - economy.rejected;
    result.economy_evictions = economy.evictions;
    result.economy_revenue_requested = economy.revenue_requested;
    result.economy_revenue = economy.revenue;
    result.spot_requests = spot.requests;
    result.spot_admitted = spot.requests - spot.rejected;
    result.spot_evictions = spot.evictions;
    result.spot_revenue_requested = spot.revenue_requested;
    result.spot_revenue = spot.revenue;
    constexpr double kMicroseconds = 1e6;
    result.income = (static_cast<double>(vm.revenue) +
                     static_cast<double>(economy.revenue) * settings_.economy_price +
                     static_cast<double>(spot.revenue) * settings_.economy.opportunistic_price) /
                    kMicroseconds;
    return result;
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
                        .axes = axes_of(settings.json()),
                        .group_axes = 7,  // the same policies and datacenter
                        .configuration = settings.json(),
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
          .summary_text = levels_summary_text,
          .summary_json = levels_summary_json,
          .money = levels_money};
}

}  // namespace cospot
