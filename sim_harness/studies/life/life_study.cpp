#include "sim_harness/studies/life/life_study.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/life/make_life_plan.hpp"
#include "sim_harness/policies/policy_list.hpp"
#include "sim_harness/studies/life/life_keys.hpp"
#include "sim_harness/studies/life/life_run.hpp"
#include "sim_harness/studies/life/life_schema.hpp"
#include "sim_harness/studies/life/life_summary.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

/// A file of the study, read.
struct Settings {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;
  std::vector<ChainSpec> vm, spot;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;
  std::vector<LifeSettings> lives;

  [[nodiscard]] std::string json() const {
    return JsonObject()
        .add("workloads", list_of(workloads, workload_json))
        .add("host", host_json(host))
        .add("sizes", list_of(sizes, size_json))
        .add("vm", list_of(vm, chain_json))
        .add("spot", list_of(spot, chain_json))
        .add("evictor", list_of(evictors, evictor_json))
        .add("saf", list_of(saf, [](bool flag) { return json_bool(flag); }))
        .add("otn", list_of(otn, otn_json))
        .add("life", list_of(lives, life_json))
        .text();
  }
};

Settings read_settings(const StudyFile& file) {
  static constexpr std::array<std::string_view, 13> kKeys{
      "study", "workloads", "window_days", "host", "added_type", "headroom_percent", "hosts", "vm",
      "spot",  "evictor",   "saf",         "otn",  "life"};
  const ConfigNode& root = file.root;
  require_known_keys(root, "study life", kKeys);
  Settings settings;
  settings.workloads = read_windowed_workloads(root, file.folder, file.window);
  settings.host = read_hosts(root, file.folder);
  settings.sizes = read_sizes(root, settings.host);
  settings.vm = read_chains(require_key(root, "sweep", "vm"), "vm", *file.policies);
  settings.spot = read_chains(require_key(root, "sweep", "spot"), "spot", *file.policies);
  settings.evictors =
      read_evictors(require_key(root, "sweep", "evictor"), "evictor", file.folder, *file.policies);
  settings.saf = read_distinct(require_key(root, "sweep", "saf"), "saf",
                               [](const auto& item) { return read_bool(item, "saf"); });
  settings.otn = read_offers(root);
  settings.lives = read_lives(require_key(root, "study life", "life"), file.folder);
  for (const std::string_view key : {"vm", "spot"}) {
    for (const ChainSpec& chain : key == "vm" ? settings.vm : settings.spot) {
      require_no_forecast(chain, fmt::format("{}: {}", root.find(key)->where, key));
    }
  }
  return settings;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return {workload_axis(root), size_axis(root), chain_axis(root, "vm"), chain_axis(root, "spot"),
          evictor_axis(root),  saf_axis(root),  otn_axis(root),         life_axis(root)};
}

/// Refuses what files name and is not there, as far as it can be told before the first run.
void check_plans(const Settings& settings, const ProviderInputs& inputs) {
  for (const auto& shared : inputs.workloads) {
    for (const Headroom& size : settings.sizes) {
      if (size.percent) continue;
      const HostTable hosts = settings.host.table(size.hosts);
      for (const LifeSettings& life : settings.lives) {
        (void)make_life_plan(life, shared->workload(), hosts);
      }
    }
  }
}

Experiment load(Settings settings) {
  ProviderInputs loaded =
      load_provider_inputs(settings.workloads, settings.host, settings.sizes, settings.vm);
  settings.workloads = with_recorded_windows(settings.workloads, loaded.windows);
  check_plans(settings, loaded);
  Experiment experiment{.schema = life_schema(),
                        .axes = axes_of(settings.json()),
                        .group_axes = 7,  // the same policies and datacenter
                        .configuration = settings.json(),
                        .inputs = loaded.records,
                        .warnings = loaded.warnings};
  const auto inputs = std::make_shared<const ProviderInputs>(std::move(loaded));
  experiment.run_group = [settings, inputs, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      const Coordinates at = grid.coordinates(run);
      SharedWorkload& workload = *inputs->workloads[at[0]];
      const RunSettings one{.host = settings.host,
                            .hosts = workload.hosts(settings.sizes[at[1]], at[2]),
                            .vm = settings.vm[at[2]],
                            .spot = settings.spot[at[3]],
                            .evictor = settings.evictors[at[4]],
                            .saf = settings.saf[at[5]],
                            .otn = settings.otn[at[6]]};
      record(run, life_measures(run_life(workload.workload(), workload.schedule(), one,
                                         one.host.table(one.hosts), settings.lives[at[7]])));
    }
  };
  return experiment;
}

}  // namespace

Study life_study() {
  return {.name = "life",
          .summary = "retries, returning spots, resizes, host failures and maintenance",
          .schema = life_schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_settings(file)] { return load(settings); };
          },
          .summary_text = life_summary_text,
          .summary_json = life_summary_json};
}

}  // namespace cospot
