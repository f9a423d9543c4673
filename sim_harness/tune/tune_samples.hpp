#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

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
  /// It is the sample before and what comes after its window, of which alone it tells.
  bool goes_on = false;
  double vm_worth = 1;                  ///< the price of a VM's vCPU-hour, in prices of a spot's
  std::vector<EvictorSpec> evictors{};  ///< those of the candidates, knowing this workload
  std::vector<std::string>
      warnings{};  ///< of its workload; of one that is split, the first has them
};

/// The datacenter of a single workload, which is that of all its parts.
struct WholeWorkload {
  std::size_t hosts = 0;  ///< as asked for
  /// By VM policy: the fewest hosts that hold all its VMs; empty where none do.
  std::vector<std::size_t> needed{};
  SimTime part{0};  ///< how long a part is
};

struct TuneSamples {
  std::vector<TuneSample> samples;
  std::optional<WholeWorkload> whole;  ///< when a single workload was split
};

/// One workload with its window ever longer, by an equal part each: the last is the whole. What a
/// run earns in a part of the window is what it earns up to its end less what it earns up to its
/// beginning, because nothing that is decided depends on what comes later.
[[nodiscard]] std::vector<Workload> lengthening_windows(const Workload& workload,
                                                        std::size_t parts);

/// Which of `count` samples are held out: a random half, rounded down. Errors: ConfigError when
/// there are fewer than two.
[[nodiscard]] std::vector<bool> draw_held_out(std::size_t count, std::uint64_t seed);

/// In which of `folds` folds each of `count` samples is: dealt at random, so that their sizes
/// differ by one at most; in the order of samples where each has its own. Errors: ConfigError when
/// a fold would have no sample.
[[nodiscard]] std::vector<std::size_t> draw_folds(std::size_t count, std::size_t folds,
                                                  std::uint64_t seed);

/// Loads the workloads, splits the window of a single one into parts, and sizes every sample's
/// datacenter. All VM policies get the same hosts: a headroom is over the fewest hosts that one of
/// them needs. Parts have the datacenter of the whole workload.
///
/// Errors: WorkloadError; ConfigError when a sample has no VM or no spot, a VM fits no host, or
/// requests ask for what no host can give.
[[nodiscard]] TuneSamples make_samples(std::span<const WorkloadSpec> workloads,
                                       const TunedDatacenter& datacenter,
                                       std::span<const ChainSpec> vm,
                                       std::span<const EvictorSpec> evictors, std::size_t parts);

/// What is too small to say much of a datacenter, a sentence each that says what would suffice.
[[nodiscard]] std::vector<std::string> sample_warnings(const TuneSamples& samples);

}  // namespace cospot
