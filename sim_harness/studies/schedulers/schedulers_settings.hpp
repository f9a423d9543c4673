#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "sim_harness/engine/headroom.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/hosts/host_mix.hpp"
#include "sim_harness/schedulers/scheduler_settings.hpp"
#include "sim_harness/studies/study.hpp"
#include "sim_harness/workloads/workload_spec.hpp"

namespace cospot {

/// A file of the study `schedulers`, read. What it may leave out has its default here.
struct SchedulersSettings {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;
  std::vector<ChainSpec> vm, spot;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;
  std::vector<std::int64_t> schedulers;
  std::vector<DealRule> deals{DealRule::kByRequest};
  std::vector<double> refresh_intervals_s;
  std::vector<double> decisions_ms{20};
  std::vector<CommitRule> commits{CommitRule::kGeneration};
  std::vector<RetryRule> retry_rules{RetryRule::kAlternates};
  std::vector<std::int64_t> max_retries{2};  ///< Nova's max_attempts is 3
  std::vector<std::int64_t> subset_sizes{1};
  std::vector<std::int64_t> seeds{1};

  /// With every default written out.
  [[nodiscard]] std::string json() const;
};

/// Errors: ConfigError.
[[nodiscard]] SchedulersSettings read_schedulers_settings(const StudyFile& file);

}  // namespace cospot
