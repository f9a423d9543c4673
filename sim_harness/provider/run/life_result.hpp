#pragma once

#include <cstdint>

#include "core/model/sim_time.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/spot_work.hpp"

namespace cospot {

/// The outcome of a run with a LifePlan. In `run`, a request counts as rejected if it was never
/// placed.
struct LifeResult {
  RunResult run{};
  std::uint64_t vm_retries = 0;    ///< retries of VMs that had not run yet
  std::uint64_t spot_retries = 0;  ///< the same for spots
  std::uint64_t vms_late = 0;      ///< VMs placed by a retry
  std::uint64_t spots_late = 0;
  SimTime vm_wait{0};  ///< from request to placement, sum over `vms_late`
  SimTime spot_wait{0};
  std::uint64_t spots_returned = 0;  ///< placements of spots that had run before
  std::uint64_t host_failures = 0;
  std::uint64_t maintenances = 0;
  std::uint64_t vms_evacuated = 0;  ///< moved to another host at the moment their host stopped
  std::uint64_t vms_migrated = 0;   ///< moved during the notice
  std::uint64_t vms_restarted = 0;  ///< placed after waiting for a host
  std::uint64_t vms_lost = 0;       ///< ran, lost their host and did not come back
  std::uint64_t spots_lost = 0;     ///< by a failure
  std::uint64_t spots_stopped = 0;  ///< by maintenance
  std::uint64_t resizes_in_place = 0;
  std::uint64_t resizes_moved = 0;
  std::uint64_t resizes_refused = 0;
  std::uint64_t resizes_missed = 0;  ///< the VM was not running at that moment
  std::uint64_t waiting = 0;         ///< requests still waiting at the end of the window
  SpotWorkResult spot_work{};        ///< with LifePlan::on_eviction
};

}  // namespace cospot
