#include "sim_harness/studies/compare/sweep_runner.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"

namespace cospot {
namespace {

class SweepSimulation {
 public:
  explicit SweepSimulation(const Sweep& sweep)
      : sweep_(sweep),
        grid_(sweep),
        inputs_(load_provider_inputs(sweep.workloads, sweep.host, sweep.sizes,
                                     sweep.sized_policies())) {
    for (std::size_t i = 0; i < sweep.workloads.size(); ++i) {
      evictors_.emplace_back(sweep.evictors.size());
    }
  }

  [[nodiscard]] const ProviderInputs& inputs() const { return inputs_; }

  void run_group(const RunGroup& group, std::span<const std::size_t> pending,
                 const RecordRun& record) {
    const RunCoordinates shared = grid_.coordinates(group.first_run);
    SharedWorkload& workload = *inputs_.workloads[shared.workload];
    std::vector<RunVariation> variations;
    for (const std::size_t run : pending) {
      const RunCoordinates at = grid_.coordinates(run);
      variations.push_back({.evictor = &evictor(shared.workload, at.evictor),
                            .saf = sweep_.saf[at.saf],
                            .otn = sweep_.otn[at.otn]});
    }
    const RunGroupSettings settings{.host = sweep_.host,
                                    .hosts = workload.hosts(sweep_.sizes[shared.size], shared.vm),
                                    .vm = &sweep_.vm[shared.vm],
                                    .spot = &sweep_.spot[shared.spot]};
    simulate_group(workload.schedule(), settings, variations,
                   [&](std::size_t variation, const RunResult& result) {
                     record(pending[variation], result);
                   });
  }

 private:
  /// An evictor of the sweep, with what it can know of a workload.
  [[nodiscard]] const EvictorSpec& evictor(std::size_t workload, std::size_t index) {
    return evictors_[workload][index].get([&] {
      SharedWorkload& shared = *inputs_.workloads[workload];
      EvictorSpec spec = sweep_.evictors[index];
      if (spec.made != nullptr) {
        spec.made = prepared_evictor(spec.made, shared.workload(), shared.schedule());
      }
      return spec;
    });
  }

  const Sweep& sweep_;
  SweepGrid grid_;
  ProviderInputs inputs_;
  std::vector<std::vector<MadeOnce<EvictorSpec>>> evictors_;  // by workload, then evictor
};

}  // namespace

std::vector<VcpusUnit> vcpus_units_of(const Sweep& sweep) {
  std::vector<VcpusUnit> units;
  for (const WorkloadSpec& spec : sweep.workloads) units.push_back(vcpus_unit_of(spec));
  return units;
}

SweepRunner make_sweep_runner(const Sweep& sweep) {
  const auto simulation = std::make_shared<SweepSimulation>(sweep);
  const ProviderInputs& inputs = simulation->inputs();
  return {
      .workloads = inputs.records,
      .run_group = [simulation](
                       const RunGroup& group, std::span<const std::size_t> pending,
                       const RecordRun& record) { simulation->run_group(group, pending, record); },
      .windows = inputs.windows,
      .warnings = inputs.warnings,
      .units = vcpus_units_of(sweep)};
}

}  // namespace cospot
