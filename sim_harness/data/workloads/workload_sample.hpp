#pragma once

#include <cstdint>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// The method by which a sample is drawn (CoSpot, section 4.2).
enum class Sampling : std::uint8_t {
  kBernoulli,  ///< each request independently
  kBatched,    ///< adjacent requests of one tenant and class together: preserves bursts
};

/// A random sample of the requests of `workload`, in their order: keeps each request, or each
/// batch, with the same probability. A batch is a maximal run of rows, in file order, with one
/// tenant and one class. The digest is that of the sampling: source, method, probability, seed.
///
/// Errors: ConfigError if the probability is not in (0, 1].
[[nodiscard]] Workload sample_workload(const Workload& workload, Sampling sampling,
                                       double probability, std::uint64_t seed);

}  // namespace cospot
