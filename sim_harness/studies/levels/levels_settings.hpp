#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/headroom.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/studies/economy/economy.hpp"
#include "sim_harness/studies/study.hpp"
#include "sim_harness/workloads/workload_spec.hpp"

namespace cospot {

/// A promise without a limit, among those that are confidences.
inline constexpr const char* kUnlimitedPromise = "unlimited";

/// A file of the study `levels`, read.
struct LevelsSettings {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;
  std::vector<ChainSpec> vm, spot, economy_chains;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;
  std::vector<double> percents;
  std::vector<std::string> promises;
  std::vector<std::int64_t> seeds{1};
  std::string forecaster = "mean";
  double economy_price = 0.7;
  EconomySettings economy;

  /// With every default written out.
  [[nodiscard]] std::string json() const;
};

/// Errors: ConfigError.
[[nodiscard]] LevelsSettings read_levels_settings(const StudyFile& file);

}  // namespace cospot
