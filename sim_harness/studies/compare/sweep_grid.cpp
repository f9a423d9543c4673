#include "sim_harness/studies/compare/sweep_grid.hpp"

#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {

SweepGrid::SweepGrid(const Sweep& sweep)
    : grid_({sweep.workloads.size(), sweep.sizes.size(), sweep.vm.size(), sweep.spot.size(),
             sweep.evictors.size(), sweep.saf.size(), sweep.otn.size()},
            kGroupAxes) {}

RunCoordinates SweepGrid::coordinates(std::size_t run_index) const {
  const Coordinates at = grid_.coordinates(run_index);
  return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

std::size_t SweepGrid::run_index(const RunCoordinates& run) const {
  return grid_.run_index({run.workload, run.size, run.vm, run.spot, run.evictor, run.saf, run.otn});
}

RunSettings run_settings(const Sweep& sweep, const RunCoordinates& run, std::size_t hosts) {
  return run_settings_at(provider_table().at(sweep, {run.workload, run.size, run.vm, run.spot,
                                                     run.evictor, run.saf, run.otn}),
                         hosts);
}

}  // namespace cospot
