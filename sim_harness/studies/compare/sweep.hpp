#pragma once

#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/headroom.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/hosts/host_mix.hpp"
#include "sim_harness/workloads/workload_spec.hpp"

namespace cospot {

/// The values of every axis of a comparison; the runs are their cross product (SweepGrid).
/// Every axis has at least one value and no value or label twice.
struct Sweep {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;  ///< all percentages or all host counts
  std::vector<ChainSpec> vm;
  std::vector<ChainSpec> spot;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;
};

}  // namespace cospot
