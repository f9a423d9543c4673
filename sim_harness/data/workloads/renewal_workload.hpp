#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Parameters of a lognormal distribution of seconds: those of the logarithm.
struct Lognormal {
  double mu = 0;
  double sigma = 1;

  friend bool operator==(const Lognormal&, const Lognormal&) = default;
};

/// Requests of one size with independent lognormal interarrival times and lifetimes, as in Pucher
/// et al., Table I.
struct LognormalSpec {
  Lognormal interarrival{3.5, 1};
  Lognormal lifetime{6, 1.5};
  double days = 10;
  ResourceAmount vcpus = 1;

  friend bool operator==(const LognormalSpec&, const LognormalSpec&) = default;
};

/// The same spec and seed give the same rows on every machine. All rows are VMs, sorted by start;
/// the window equals the spec's days.
[[nodiscard]] Workload generate_lognormal(const LognormalSpec& spec, std::uint64_t seed);

/// A stand-in for a production trace that is public but not ours to redistribute. It has the
/// trace's number of instances, duration, mean load and sizes, with bursts of starts and a long
/// tail of lifetimes, some of which began earlier. It does not reproduce any other structure of the
/// trace.
struct StandIn {
  /// Instances with `cores` cores; the counts add up to the trace's instances.
  struct Size {
    ResourceAmount vcpus;
    int count;
  };

  std::string_view name;  ///< of the trace: ds2, ds3, ds5, ds6
  double days;
  double mean_vcpus;      ///< mean number in use
  double mean_burst;      ///< mean number of instances that start together
  double lifetime_sigma;  ///< of the logarithm; determines the load held by a few long lives
  std::vector<Size> sizes;
};

[[nodiscard]] std::span<const StandIn> stand_ins();

/// Errors: ConfigError that lists the valid names.
[[nodiscard]] const StandIn& find_stand_in(std::string_view name);

[[nodiscard]] Workload generate_stand_in(const StandIn& trace, std::uint64_t seed);

/// The mean usage of the rows over [from, to), in vcpus.
[[nodiscard]] double mean_vcpus(std::span<const WorkloadRow> rows, SimTime from, SimTime to);

}  // namespace cospot
