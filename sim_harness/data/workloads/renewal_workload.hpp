#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Parameters of a lognormal distribution of seconds: of the logarithm.
struct Lognormal {
  double mu = 0;
  double sigma = 1;

  friend bool operator==(const Lognormal&, const Lognormal&) = default;
};

/// Requests of one size with independent lognormal times between them and independent lognormal
/// lifetimes, as Pucher et al., Table I.
struct LognormalSpec {
  Lognormal interarrival{3.5, 1};
  Lognormal lifetime{6, 1.5};
  double days = 10;
  ResourceAmount vcpus = 1;

  friend bool operator==(const LognormalSpec&, const LognormalSpec&) = default;
};

/// The same spec and seed give the same rows on every machine. All rows are VMs, sorted by start;
/// the window is the days.
[[nodiscard]] Workload generate_lognormal(const LognormalSpec& spec, std::uint64_t seed);

/// A stand-in for a production trace that is public but not ours to ship: its number of instances,
/// days, mean load and sizes, with bursts of starts and a long tail of lifetimes, some of which
/// began before it. What order the real trace has beyond that it does not have.
struct StandIn {
  /// Instances of so many cores; the counts of a trace add up to its instances.
  struct Size {
    ResourceAmount vcpus;
    int count;
  };

  std::string_view name;  ///< of the trace: ds2, ds3, ds5, ds6
  double days;
  double mean_vcpus;      ///< in use, over the days
  double mean_burst;      ///< instances that start together
  double lifetime_sigma;  ///< of the logarithm; how much of the load a few long lives hold
  std::vector<Size> sizes;
};

[[nodiscard]] std::span<const StandIn> stand_ins();

/// Errors: ConfigError names the valid ones.
[[nodiscard]] const StandIn& find_stand_in(std::string_view name);

[[nodiscard]] Workload generate_stand_in(const StandIn& trace, std::uint64_t seed);

/// What the rows hold on average over [0, days), in vcpus.
[[nodiscard]] double mean_vcpus(std::span<const WorkloadRow> rows, SimTime from, SimTime to);

}  // namespace cospot
