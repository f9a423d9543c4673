#include "sim_harness/studies/degradation/degradation_study.hpp"

#include <memory>
#include <utility>

#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

const std::vector<Measure<RunResult>>& measures() {
  using D = RunResult;
  static const std::vector<Measure<D>> made = [] {
    std::vector<Measure<D>> all{
        measure<&D::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"}),
        measure<&D::vm_requests>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"}),
        measure<&D::vm_rejected>({.name = "vm_rejected", .unit = "VMs", .meaning = "rejected"})};
    add_revenue(all, "vm", "VMs", &D::vm_revenue_requested, &D::vm_revenue);
    return all;
  }();
  return made;
}

/// A file of the study, read.
struct Settings : ProviderSettings {
  std::vector<std::int64_t> tops{};
  std::vector<std::int64_t> seeds{1};
};

const Axis<Settings, std::int64_t> kTopAxis{
    .name = "otn",
    .unit = "hosts",
    .meaning = "N: each VM is placed on a random one of its first N hosts",
    .values = &Settings::tops,
    .read = [](const ConfigNode& item, std::string_view key) {
      return read_integer(item, key, 1, static_cast<std::int64_t>(OfferRule::kMaxOtn));
    }};
const Axis<Settings, std::int64_t> kSeedAxis{.name = "seed",
                                             .meaning = "of the random draws",
                                             .values = &Settings::seeds,
                                             .read = read_seed};

const SettingTable<Settings>& table() {
  static const SettingTable<Settings> made(
      "sweep", {kWorkloadAxis, host_setting(), kSizeAxis, headroom_of_setting(), kVmAxis, kTopAxis,
                kSeedAxis});
  return made;
}

const Schema& schema() {
  static const Schema made{.study = "degradation",
                           .axes = table().columns(),
                           .measures = columns_of(std::span(measures())),
                           .views = {}};
  return made;
}

Experiment load(Settings settings) {
  ProviderInputs inputs = load_provider_inputs(settings.workloads, settings.host, settings.sizes,
                                               settings.sized_policies());
  settings.workloads = as_recorded(settings.workloads, inputs.windows);
  Experiment experiment{
      .schema = schema(),
      .axes = table().axes(settings),
      .group_by = axis_names(kWorkloadAxis, kSizeAxis, kVmAxis),  // one datacenter
      .configuration = table().json(settings).dump(),
      .inputs = inputs.records,
      .warnings = inputs.warnings};
  const auto shared = std::make_shared<const ProviderInputs>(std::move(inputs));
  const Grid grid = experiment.grid();
  experiment.run_group = [settings, shared, grid](const RunGroup& group,
                                                  std::span<const std::size_t> pending,
                                                  const RecordMeasures& record) {
    const auto first = table().at(settings, grid.coordinates(group.first_run));
    SharedWorkload& workload = *shared->workloads[first.index(kWorkloadAxis)];
    const HostTable hosts =
        settings.host.table(workload.hosts(first.get(kSizeAxis), first.index(kVmAxis)));
    const auto chain =
        make_chain(first.get(kVmAxis), ChainSide::kVm, workload.vm_schedule().has_placements());
    for (const std::size_t run : pending) {
      const auto at = table().at(settings, grid.coordinates(run));
      SimulationEngine engine(
          workload.vm_schedule(), HostTable(hosts), {.vm = chain},
          {.loose = LooseRanking{.top = static_cast<std::size_t>(at.get(kTopAxis)),
                                 .seed = static_cast<std::uint64_t>(at.get(kSeedAxis))}});
      engine.run();
      record(run, values_of(std::span(measures()), engine.result()));
    }
  };
  return experiment;
}

const StudyFigures& figures() {
  static const StudyFigures made{
      .title = "VMs placed on a random one of their first OTN hosts",
      .figures = {{.name = "vm_rejected", .title = "VMs rejected", .unit = FigureUnit::kNumber}}};
  return made;
}

const StudyMoney& money() {
  static const StudyMoney made{.columns = {kVmsLost, kVmsRequested, kVmsEarned}};
  return made;
}

}  // namespace

Study degradation_study() {
  return {.name = "degradation",
          .summary = "sensitivity of VM placement to a loosely followed ranking",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = table().read(file)] { return load(settings); };
          },
          .figures = figures,
          .money = money};
}

}  // namespace cospot
