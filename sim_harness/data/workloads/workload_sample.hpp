#pragma once

#include <cstdint>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// How a sample is drawn (CoSpot, section 4.2).
enum class Sampling : std::uint8_t {
  kBernoulli,  ///< each request by itself
  kBatched,    ///< neighbouring requests of one tenant and one class together: keeps bursts
};

/// The requests of `workload` that a seeded draw keeps, in their order: each request, or each
/// batch, with the same probability. A batch is the longest run of rows, in file order, with one
/// tenant and one class. The digest is that of the recipe: source, sampling, probability, seed.
///
/// Errors: ConfigError when the probability is not in (0, 1].
[[nodiscard]] Workload sample_workload(const Workload& workload, Sampling sampling,
                                       double probability, std::uint64_t seed);

}  // namespace cospot
