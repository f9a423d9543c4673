#include "sim_harness/studies/degradation/degradation_study.hpp"

#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/policies/policy_list.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/degradation/degradation.hpp"
#include "sim_harness/studies/degradation/degradation_text.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

const std::vector<Measure<DegradationResult>>& measures() {
  using D = DegradationResult;
  static const std::vector<Measure<D>> all{
      measure<&D::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"}),
      measure<&D::vm_requests>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"}),
      measure<&D::vm_rejected>({.name = "vm_rejected", .unit = "VMs", .meaning = "rejected"}),
      measure<&D::vm_revenue_requested>(
          {.name = "vm_revenue_requested", .unit = "vcpu-seconds", .meaning = "requested by VMs"}),
      measure<&D::vm_revenue>(
          {.name = "vm_revenue", .unit = "vcpu-seconds", .meaning = "earned by VMs"})};
  return all;
}

const Schema& schema() {
  static const Schema made = [] {
    Column otn = otn_column();
    otn.type = ColumnType::kInteger;
    otn.meaning = "N: each VM is placed on a random one of its first N hosts";
    const Column seed{.name = "seed", .role = ColumnRole::kAxis, .meaning = "of the random draws"};
    return Schema{.study = "degradation",
                  .axes = {workload_column(), headroom_column(), vm_column(), otn, seed},
                  .measures = columns_of(std::span(measures())),
                  .views = {}};
  }();
  return made;
}

/// A file of the study, read.
struct Settings {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;
  std::vector<ChainSpec> headroom_of{};
  std::vector<ChainSpec> vm;
  std::vector<OfferRule> otn;
  std::vector<std::int64_t> seeds{1};

  [[nodiscard]] std::string json() const {
    return JsonObject()
        .add("workloads", list_of(workloads, workload_json))
        .add("host", host_json(host))
        .add("sizes", list_of(sizes, size_json))
        .add_if(!headroom_of.empty(), "headroom_of", list_of(headroom_of, chain_json))
        .add("vm", list_of(vm, chain_json))
        .add("otn", list_of(otn, otn_json))
        .add("seed", list_of(seeds, [](std::int64_t seed) { return std::to_string(seed); }))
        .text();
  }
};

Settings read_settings(const StudyFile& file) {
  static constexpr std::array<std::string_view, 11> kKeys{
      "study",       "workloads", "window_days", "host", "added_type", "headroom_percent",
      "headroom_of", "hosts",     "vm",          "otn",  "seed"};
  const ConfigNode& root = file.root;
  require_known_keys(root, "sweep", kKeys);
  Settings settings;
  settings.workloads = read_windowed_workloads(root, file.folder, file.window);
  settings.host = read_hosts(root, file.folder);
  settings.sizes = read_sizes(root, settings.host);
  settings.headroom_of = read_headroom_policies(root, *file.policies);
  settings.vm = read_chains(require_key(root, "sweep", "vm"), "vm", *file.policies);
  settings.otn = read_offers(root);
  for (const OfferRule& otn : settings.otn) {
    if (otn.kind() == OfferRule::Kind::kTopN) continue;
    throw ConfigError("otn: found " + otn.label() +
                      ", expected whole numbers: a VM is placed on one of the first N hosts");
  }
  if (const ConfigNode* seed = root.find("seed")) {
    settings.seeds = read_distinct(*seed, "seed", [](const ConfigNode& item) {
      return read_integer(item, "seed", 0, std::numeric_limits<std::int64_t>::max());
    });
  }
  return settings;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return {workload_axis(root), size_axis(root), chain_axis(root, "vm"), otn_axis(root),
          integer_axis(root, "seed")};
}

Experiment load(Settings settings) {
  ProviderInputs inputs = load_provider_inputs(settings.workloads, settings.host, settings.sizes,
                                               {settings.vm, settings.headroom_of});
  settings.workloads = as_recorded(settings.workloads, inputs.windows);
  Experiment experiment{.schema = schema(),
                        .axes = axes_of(settings.json()),
                        .group_axes = 3,  // workload, size, VM policy: one datacenter
                        .configuration = settings.json(),
                        .inputs = inputs.records,
                        .warnings = inputs.warnings};
  const auto shared = std::make_shared<const ProviderInputs>(std::move(inputs));
  const Grid grid = experiment.grid();
  experiment.run_group = [settings, shared, grid](const RunGroup& group,
                                                  std::span<const std::size_t> pending,
                                                  const RecordMeasures& record) {
    const Coordinates first = grid.coordinates(group.first_run);
    SharedWorkload& workload = *shared->workloads[first[0]];
    const HostTable hosts = settings.host.table(workload.hosts(settings.sizes[first[1]], first[2]));
    const auto chain =
        make_chain(settings.vm[first[2]], ChainSide::kVm, workload.vm_schedule().has_placements());
    for (const std::size_t run : pending) {
      const Coordinates at = grid.coordinates(run);
      record(run,
             values_of(std::span(measures()),
                       degrade(workload.vm_schedule(), hosts, *chain, settings.otn[at[3]].otn(),
                               static_cast<std::uint64_t>(settings.seeds[at[4]]))));
    }
  };
  return experiment;
}

}  // namespace

Study degradation_study() {
  return {.name = "degradation",
          .summary = "sensitivity of VM placement to a loosely followed ranking",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_settings(file)] { return load(settings); };
          },
          .summary_text = degradation_text,
          .money = degradation_money};
}

}  // namespace cospot
