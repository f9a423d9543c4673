#include "sim_harness/studies/life/life_study.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/life/make_life_plan.hpp"
#include "sim_harness/studies/life/life_keys.hpp"
#include "sim_harness/studies/life/life_run.hpp"
#include "sim_harness/studies/life/life_schema.hpp"
#include "sim_harness/studies/life/life_summary.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {
namespace {

/// A file of the study, read.
struct Settings : ProviderSettings {
  std::vector<LifeSettings> lives{};

  [[nodiscard]] std::string json() const {
    return provider_settings_json(*this).add("life", list_of(lives, life_json)).text();
  }
};

Settings read_settings(const StudyFile& file) {
  const ConfigNode& root = file.root;
  std::vector<std::string_view> keys(kProviderKeys.begin(), kProviderKeys.end());
  keys.emplace_back("life");
  require_known_keys(root, "study life", keys);
  Settings settings{read_provider_settings(root, file.folder, file.window, *file.policies)};
  settings.lives = read_lives(require_key(root, "study life", "life"), file.folder);
  for (const std::string_view key : {"vm", "spot"}) {
    for (const ChainSpec& chain : key == "vm" ? settings.vm : settings.spot) {
      require_no_forecast(chain, key_place(*root.find(key), key));
    }
  }
  return settings;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return provider_axes(root, {life_axis(root)});
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
  ProviderInputs loaded = load_provider_inputs(settings.workloads, settings.host, settings.sizes,
                                               settings.sized_policies());
  settings.workloads = as_recorded(settings.workloads, loaded.windows);
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
      const RunSettings one =
          run_settings_at(settings, at, workload.hosts(settings.sizes[at[1]], at[2]));
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
          .summary_json = life_summary_json,
          .money = life_money};
}

}  // namespace cospot
