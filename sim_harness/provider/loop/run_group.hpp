#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// Simulates runs that differ only in evictor, SAF and OTN, and hands each result to `record` with
/// the index of its allocator. `keeps_days`: see SimulationParts.
///
/// They are simulated together for as long as they cannot differ. SAF, OTN and the evictor have no
/// effect until a VM's first-ranked host needs an eviction; runs with SAF share everything before
/// the first VM that fits nowhere without one; an evictor that follows FIFO until some time shares
/// FIFO's run until then. The results equal those of separate runs to the bit; `wall_ms` splits the
/// time of a shared part evenly.
///
/// Errors: ConfigError for an unknown policy or option; PolicyError.
void simulate_group(const EventSchedule& schedule, const HostMix& host, std::size_t hosts,
                    std::span<const AllocatorSpec> allocators,
                    const std::function<void(std::size_t, const RunResult&)>& record,
                    bool keeps_days = false);

/// A run of a group between two cuts of its schedule.
struct GroupRun {
  /// The runs of the group that it has not diverged from.
  enum class Shares : std::uint8_t {
    kAll,
    kWithSaf,    ///< those with SAF
    kSameOffer,  ///< those with its SAF and OTN
    kNone,
  };
  Shares shares = Shares::kAll;
  std::shared_ptr<const SimulationEngine::AtCut> at{};  ///< null: at the beginning
};

/// Takes the `runs` of the allocators, all of them at one cut of the schedule or at its beginning,
/// to the next cut. The results are those of simulate_group for the cut's window. Not for spot
/// chains that need forecasts.
void simulate_to_next_cut(const EventSchedule& schedule, const HostMix& host, std::size_t hosts,
                          std::span<const AllocatorSpec> allocators, std::size_t cut,
                          std::span<GroupRun> runs,
                          const std::function<void(std::size_t, const RunResult&)>& record);

}  // namespace cospot
