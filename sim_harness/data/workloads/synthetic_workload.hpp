#pragma once

#include <cstdint>
#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// The vcpus unit of generated workloads: the models' zones count in shares of a machine.
inline constexpr VcpusUnit kModelUnit{.is_relative = true};

/// The method by which a part of a zone is sampled.
enum class ZoneSampling : std::uint8_t {
  kBatched,    ///< whole batches: preserves bursts
  kBernoulli,  ///< each request independently: thins the batches out
};

/// The spec of a generated workload: the same spec gives the same rows on every machine.
struct SyntheticSpec {
  std::string model = "azure2020";
  std::uint64_t seed = 1;
  double scale = 0.01;  ///< fraction of the zone, in [0.0001, 1]; 1 is about 5.2 million requests
  ZoneSampling sampling = ZoneSampling::kBatched;

  friend bool operator==(const SyntheticSpec&, const SyntheticSpec&) = default;
};

/// Reads "batched" or "bernoulli". Throws ConfigError for anything else.
[[nodiscard]] ZoneSampling parse_zone_sampling(const std::string& name);

/// Generates the workload, its rows sorted by start. docs/synthetic-workload.md describes the model
/// and how close it is to the real samples. Throws ConfigError for an invalid spec.
[[nodiscard]] Workload generate_workload(const SyntheticSpec& spec);

}  // namespace cospot
