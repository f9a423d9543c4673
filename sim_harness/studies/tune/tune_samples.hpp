#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/studies/compare/sweep.hpp"
#include "sim_harness/workloads/workload.hpp"

namespace cospot {

/// The datacenter that is tuned: a number of hosts, or a share beyond what the VMs need.
struct TunedDatacenter {
  HostMix host;
  Headroom size;
};

/// A workload with its datacenter, by which settings are chosen or the choice is judged.
struct TuneSample {
  WorkloadSpec spec;
  Workload workload;
  EventSchedule schedule{};
  std::size_t hosts = 0;
  std::vector<EvictorSpec> evictors{};  ///< those of the candidates, knowing this workload
  std::vector<std::string>
      warnings{};  ///< of its workload; of one that is dealt, the first has them
};

/// What a datacenter for a whole workload has, when its samples are only shares of it.
struct WholeWorkload {
  std::size_t hosts = 0;            ///< as asked for
  std::vector<std::size_t> needed;  ///< by VM policy: the fewest hosts that hold all its VMs
};

struct TuneSamples {
  std::vector<TuneSample> samples;
  std::optional<WholeWorkload> whole;  ///< when a single workload was split
  /// That of the samples: the datacenter's; of parts, where only one type is added, a smaller
  /// one with the types in the proportions of the whole.
  HostMix host{};
};

/// The samples of one workload: its batches (neighbouring rows of one tenant and class) dealt at
/// random to `parts` workloads of their own, and members of one server group to the same. Every row
/// is in exactly one, in its order.
[[nodiscard]] std::vector<Workload> deal_batches(const Workload& workload, std::size_t parts,
                                                 std::uint64_t seed);

/// Which of `count` samples are held out: a random half, rounded down. Errors: ConfigError when
/// there are fewer than two.
[[nodiscard]] std::vector<bool> draw_held_out(std::size_t count, std::uint64_t seed);

/// In which of `folds` folds each of `count` samples is: dealt at random, so that their sizes
/// differ by one at most. Errors: ConfigError when a fold would have no sample.
[[nodiscard]] std::vector<std::size_t> draw_folds(std::size_t count, std::size_t folds,
                                                  std::uint64_t seed);

/// Loads the workloads, splits a single one into parts, and sizes every sample's datacenter, and
/// that of a workload that was split. All VM policies get the same hosts: a headroom is over the
/// fewest hosts that one of them needs, and of a part, a number of hosts is scaled with what its
/// VMs need.
///
/// Errors: WorkloadError; ConfigError when a sample has no VM or no spot, a VM fits no host, or
/// requests ask for what no host can give.
[[nodiscard]] TuneSamples make_samples(std::span<const WorkloadSpec> workloads,
                                       const TunedDatacenter& datacenter,
                                       std::span<const ChainSpec> vm,
                                       std::span<const EvictorSpec> evictors, std::size_t parts,
                                       std::uint64_t seed);

}  // namespace cospot
