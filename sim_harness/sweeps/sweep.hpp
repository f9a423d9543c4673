#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/workloads/synthetic_workload.hpp"

namespace cospot {

struct WorkloadSpec {
  std::string label;           ///< as the sweep file writes it; the same on every machine
  std::filesystem::path file;  ///< where it is here; empty for a synthetic workload
  std::optional<SyntheticSpec> synthetic;
  std::optional<SimTime> window{};  ///< stated by a command or a sweep; otherwise the data's own
};

/// How many hosts a datacenter has: a share beyond the size that just fits the VMs, or a number.
struct Headroom {
  std::optional<double> percent;
  std::size_t hosts = 0;  ///< only without a percentage
};

/// The values of every axis of a comparison; the runs are their cross product (SweepGrid).
/// Every axis has at least one value and no value or label twice.
struct Sweep {
  std::vector<WorkloadSpec> workloads;
  ResourceVector host;
  std::vector<Headroom> sizes;  ///< all percentages or all host counts
  std::vector<ChainSpec> vm;
  std::vector<ChainSpec> spot;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;
};

}  // namespace cospot
