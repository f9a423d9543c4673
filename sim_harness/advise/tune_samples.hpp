#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// The datacenter to tune: a number of hosts, or a headroom beyond the VMs' needs.
struct TunedDatacenter {
  HostMix host;
  Headroom size;
};

/// A workload with its datacenter, used to choose settings or to judge the choice.
struct TuneSample {
  WorkloadSpec spec;
  Workload workload;
  EventSchedule schedule{};
  std::size_t hosts = 0;
  /// It contains the previous sample; its own results are those after that sample's window.
  bool goes_on = false;
  double vm_worth = 1;                  ///< price of a VM's vCPU-hour relative to a spot's
  std::vector<EvictorSpec> evictors{};  ///< those of the candidates, prepared for this workload
  std::vector<std::string>
      warnings{};  ///< of its workload; for a split one, only in the first sample
};

/// The datacenter of a single workload, shared by all its parts.
struct WholeWorkload {
  std::size_t hosts = 0;  ///< as requested
  /// By VM policy: the fewest hosts that hold all its VMs; empty if none do.
  std::vector<std::size_t> needed{};
  SimTime part{0};  ///< duration of a part
};

struct TuneSamples {
  std::vector<TuneSample> samples;
  std::optional<WholeWorkload> whole;  ///< if a single workload was split
};

[[nodiscard]] double days_of(SimTime time);

/// The price of a VM's vCPU-hour relative to a spot's; 1 if spots are free.
[[nodiscard]] double vm_worth_of(const VcpuHourPrices& prices);

/// One workload with windows that grow by equal parts; the last is the whole. The revenue in a part
/// is the revenue up to its end minus that up to its beginning, because no decision depends on
/// later events.
[[nodiscard]] std::vector<Workload> lengthening_windows(const Workload& workload,
                                                        std::size_t parts);

/// Marks a random half (rounded down) of `count` samples as held out. Errors: ConfigError if there
/// are fewer than two.
[[nodiscard]] std::vector<bool> draw_held_out(std::size_t count, std::uint64_t seed);

/// Assigns `count` samples to `folds` folds at random, with sizes that differ by at most one; in
/// the samples' order if each has its own fold. Errors: ConfigError if a fold would be empty.
[[nodiscard]] std::vector<std::size_t> draw_folds(std::size_t count, std::size_t folds,
                                                  std::uint64_t seed);

/// Loads the workloads, splits the window of a single one into parts, and sizes each sample's
/// datacenter. All VM policies get the same hosts: a headroom counts from the fewest hosts that any
/// of them needs. Parts use the datacenter of the whole workload.
///
/// Errors: WorkloadError; ConfigError if a sample has no VM or no spot, a VM fits no host, or
/// requests have requirements that no host can satisfy.
[[nodiscard]] TuneSamples make_samples(std::span<const WorkloadSpec> workloads,
                                       const TunedDatacenter& datacenter,
                                       std::span<const ChainSpec> vm,
                                       std::span<const EvictorSpec> evictors, std::size_t parts);

/// The warnings of the samples' workloads, and those about samples too small for reliable results,
/// each with the size that would suffice.
[[nodiscard]] std::vector<std::string> sample_warnings(const TuneSamples& samples);

}  // namespace cospot
