#include "sim_harness/studies/levels/levels_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/prepared_evictor.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/policies/policy_list.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/economy/economy.hpp"
#include "sim_harness/studies/economy/economy_keys.hpp"
#include "sim_harness/studies/levels/level_run.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"
#include "sim_harness/usage/workload_usage.hpp"

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

const Schema& schema() {
  static const Schema made{
      .study = "levels",
      .axes = {workload_column(),
               headroom_column(),
               vm_column(),
               spot_column(),
               evictor_column(),
               saf_column(),
               otn_column(),
               {.name = "economy",
                .role = ColumnRole::kAxis,
                .type = ColumnType::kText,
                .meaning = "label of the policy that places economy instances"},
               {.name = "economy_percent",
                .role = ColumnRole::kAxis,
                .type = ColumnType::kNumber,
                .unit = "% of spots",
                .meaning = "that are sold as economy instances"},
               {.name = "promise",
                .role = ColumnRole::kAxis,
                .type = ColumnType::kText,
                .meaning = "confidence of what is promised to the Economy class, or `unlimited`"},
               {.name = "seed", .role = ColumnRole::kAxis, .meaning = "of the draw of spots"}},
      .measures = columns_of(std::span(measures())),
      .views = {}};
  return made;
}

/// A file of the study, read. A promise is a confidence; nothing: no limit.
struct Settings {
  std::vector<WorkloadSpec> workloads;
  ResourceVector host;
  std::vector<Headroom> sizes;
  std::vector<ChainSpec> vm, spot, economy_chains;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;
  std::vector<double> percents;
  std::vector<std::string> promises;
  std::vector<std::int64_t> seeds{1};
  std::string forecaster = "mean";
  double economy_price = 0.7;
  EconomySettings economy;

  [[nodiscard]] std::string json() const {
    const auto number = [](double value) { return json_number(value); };
    const std::string axes =
        JsonObject()
            .add("workloads", list_of(workloads, workload_json))
            .add("host", host_json(host))
            .add("sizes", list_of(sizes, size_json))
            .add("vm", list_of(vm, chain_json))
            .add("spot", list_of(spot, chain_json))
            .add("evictor", list_of(evictors, evictor_json))
            .add("saf", list_of(saf, [](bool flag) { return json_bool(flag); }))
            .add("otn", list_of(otn, otn_json))
            .add("economy", list_of(economy_chains, chain_json))
            .add("economy_percent", list_of(percents, number))
            .add("promise", list_of(promises, json_text))
            .add("seed", list_of(seeds, [](std::int64_t seed) { return std::to_string(seed); }))
            .add("forecaster", json_text(forecaster))
            .add("economy_price", json_number(economy_price))
            .text();
    return fmt::format("{},{}}}", axes.substr(0, axes.size() - 1), economy_settings_json(economy));
  }
};

constexpr const char* kUnlimited = "unlimited";

/// A confidence, as it is written, or `unlimited`.
std::string read_promise(const ConfigNode& node) {
  constexpr double kMostConfidence = 0.999999;
  if (node.text == kUnlimited) return kUnlimited;
  (void)read_number(node, "promise", 0, kMostConfidence);
  return node.text;
}

void read_levels(const ConfigNode& root, Settings& settings) {
  settings.percents = read_distinct(
      require_key(root, "study levels", "economy_percent"), "economy_percent",
      [](const ConfigNode& item) { return read_number(item, "economy_percent", 0, 100); });
  settings.promises =
      read_distinct(require_key(root, "study levels", "promise"), "promise", read_promise);
  if (const ConfigNode* seed = root.find("seed")) {
    settings.seeds = read_distinct(*seed, "seed", [](const ConfigNode& item) {
      return read_integer(item, "seed", 0, std::numeric_limits<std::int64_t>::max());
    });
  }
  if (const ConfigNode* node = root.find("forecaster")) {
    settings.forecaster = read_label(*node, "forecaster");
    if (settings.forecaster == "oracle") {
      throw_bad_value(*node, "forecaster", "mean, minimum, arima or ets");
    }
  }
  if (const ConfigNode* node = root.find("economy_price")) {
    settings.economy_price = read_number(*node, "economy_price", 0, 1);
  }
}

Settings read_settings(const StudyFile& file) {
  const ConfigNode& root = file.root;
  std::vector<std::string_view> keys(kEconomyKeys.begin(), kEconomyKeys.end());
  keys.insert(keys.end(), {"workloads", "window_days", "host", "headroom_percent", "hosts", "vm",
                           "spot", "evictor", "saf", "otn", "economy", "economy_percent", "promise",
                           "seed", "forecaster", "economy_price"});
  // Those of the datacenter.
  std::erase(keys, "capacity");
  std::erase(keys, "resource");
  require_known_keys(root, "study levels", keys);
  Settings settings;
  settings.workloads = read_windowed_workloads(root, file.folder, file.window);
  settings.host = read_host(root);
  settings.sizes = read_sizes(root);
  settings.vm = read_chains(require_key(root, "sweep", "vm"), "vm", *file.policies);
  settings.spot = read_chains(require_key(root, "sweep", "spot"), "spot", *file.policies);
  settings.evictors =
      read_evictors(require_key(root, "sweep", "evictor"), "evictor", file.folder, *file.policies);
  settings.saf = read_distinct(require_key(root, "sweep", "saf"), "saf",
                               [](const auto& item) { return read_bool(item, "saf"); });
  settings.otn = read_offers(root);
  settings.economy_chains =
      read_chains(require_key(root, "study levels", "economy"), "economy", *file.policies);
  read_levels(root, settings);
  settings.economy = read_economy_settings(root, file.folder);
  return settings;
}

Axis plain_axis(const ConfigNode& root, const std::string& name, bool is_number) {
  Axis axis{name, name, {}};
  for (const ConfigNode& item : require_key(root, "study levels", name).items) {
    const Value value = is_number ? Value(read_number(item, name, 0, 100)) : Value(item.text);
    axis.values.push_back({value, item.text, item.text});
  }
  return axis;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return {workload_axis(root),
          size_axis(root),
          chain_axis(root, "vm"),
          chain_axis(root, "spot"),
          evictor_axis(root),
          saf_axis(root),
          otn_axis(root),
          chain_axis(root, "economy"),
          plain_axis(root, "economy_percent", true),
          plain_axis(root, "promise", false),
          integer_axis(root, "seed")};
}

/// What the VMs of a workload leave of both resources, in a datacenter that holds them and no more.
struct VmUse {
  EconomyInput vcpus;
  EconomyInput memory_mb;
};

EconomyInput vm_use(const Workload& workload, UsageResource resource,
                    const EconomySettings& settings) {
  return {
      .label = workload.name,
      .sha256 = workload.sha256,
      .name = workload.name,
      .periods = period_minima(usage_of_vms(workload, std::nullopt, resource), settings.period())};
}

/// How much of a resource is promised over time in a datacenter that has `capacity` of it: at each
/// prediction, what the VMs' use so far lets expect. The first member is the time in periods.
std::vector<std::pair<std::int64_t, std::int64_t>> promised_amounts(EconomyInput input,
                                                                    std::int64_t capacity,
                                                                    const Settings& settings,
                                                                    double confidence) {
  for (std::size_t i = 0; i < input.periods.size(); ++i) {
    input.periods.slack[i] += capacity * kSlackUnit - input.periods.capacity[i];
    input.periods.capacity[i] = capacity * kSlackUnit;
  }
  const std::vector<CycleData> cycles = cycles_of(input, settings.economy);
  const std::vector<Forecast> forecasts =
      make_forecasts(settings.forecaster, cycles, settings.economy, 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> amounts;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double share = promised_quantity(forecasts[i], settings.economy.promise_at(confidence));
    amounts.emplace_back(
        static_cast<std::int64_t>(cycles[i].cycle.begin) + input.periods.first,
        static_cast<std::int64_t>(std::floor(share * static_cast<double>(capacity))));
  }
  return amounts;
}

/// What is promised over time; before the first prediction, nothing.
std::vector<PromiseStep> promise_steps(const VmUse& use, std::size_t hosts,
                                       const Settings& settings, double confidence) {
  const auto count = static_cast<std::int64_t>(hosts);
  const auto vcpus = promised_amounts(use.vcpus, count * settings.host.vcpus, settings, confidence);
  const auto memory =
      promised_amounts(use.memory_mb, count * settings.host.memory_mb, settings, confidence);
  std::vector<PromiseStep> steps;
  for (std::size_t i = 0; i < vcpus.size(); ++i) {
    steps.push_back({.from = vcpus[i].first * settings.economy.period(),
                     .vcpus = vcpus[i].second,
                     .memory_mb = memory[i].second});
  }
  return steps;
}

/// One run's policies and datacenter.
class LevelsSimulation {
 public:
  explicit LevelsSimulation(Settings settings)
      : settings_(std::move(settings)),
        inputs_(load_provider_inputs(settings_.workloads, settings_.host, settings_.sizes,
                                     settings_.vm, WorkloadClasses::kWithEconomy)) {
    for (const auto& shared : inputs_.workloads) {
      const Workload& workload = shared->workload();
      vm_use_.push_back({vm_use(workload, UsageResource::kVcpus, settings_.economy),
                         vm_use(workload, UsageResource::kMemoryMb, settings_.economy)});
      (void)cycles_of(vm_use_.back().vcpus, settings_.economy);  // too short: now, not in a run
    }
  }

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const ProviderInputs& inputs() const { return inputs_; }

  [[nodiscard]] LevelsResult run(const Coordinates& at) const {
    SharedWorkload& workload = *inputs_.workloads[at[0]];
    const std::size_t hosts = workload.hosts(settings_.sizes[at[1]], at[2]);
    const std::string& promise = settings_.promises[at[9]];
    const bool is_limited = promise != kUnlimited;
    const std::vector<PromiseStep> steps =
        is_limited ? promise_steps(vm_use_[at[0]], hosts, settings_, std::stod(promise))
                   : std::vector<PromiseStep>();
    const std::vector<std::uint8_t> levels =
        levels_of(workload.workload(), settings_.percents[at[8]],
                  static_cast<std::uint64_t>(settings_.seeds[at[10]]));
    LevelEngine engine(workload.schedule(), levels, HostTable::uniform(hosts, settings_.host),
                       allocator(workload, at, is_limited));
    PromiseOwner owner(steps, workload.workload(), levels);
    if (is_limited) engine.set_forecasts(&owner);
    engine.run();
    LevelsResult result = counts_of(engine.results());
    result.hosts = hosts;
    if (is_limited) {
      result.promised_percent =
          mean_percent(steps, &PromiseStep::vcpus, hosts, settings_.host.vcpus);
      result.promised_memory_percent =
          mean_percent(steps, &PromiseStep::memory_mb, hosts, settings_.host.memory_mb);
    }
    return result;
  }

 private:
  [[nodiscard]] LevelAllocator allocator(SharedWorkload& workload, const Coordinates& at,
                                         bool is_limited) const {
    const ChainSide side = settings_.saf[at[5]] ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
    ChainSpec economy = settings_.economy_chains[at[7]];
    if (is_limited) economy.filters.push_back({.name = "EconomyPromise"});
    return {.chains = {make_chain(settings_.vm[at[2]], side), make_chain(economy, side),
                       make_chain(settings_.spot[at[3]], ChainSide::kSpot)},
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
                                           std::int64_t PromiseStep::*amount, std::size_t hosts,
                                           ResourceAmount of_host) {
    double sum = 0;
    for (const PromiseStep& step : steps) sum += static_cast<double>(step.*amount);
    const double capacity = static_cast<double>(hosts) * static_cast<double>(of_host);
    return 100 * sum / static_cast<double>(steps.size()) / capacity;
  }

  Settings settings_;
  ProviderInputs inputs_;
  std::vector<VmUse> vm_use_;  // of each workload
};

Experiment load(Settings settings) {
  const auto simulation = std::make_shared<const LevelsSimulation>(settings);
  const ProviderInputs& inputs = simulation->inputs();
  settings.workloads = with_recorded_windows(settings.workloads, inputs.windows);
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
            return [settings = read_settings(file)] { return load(settings); };
          }};
}

}  // namespace cospot
