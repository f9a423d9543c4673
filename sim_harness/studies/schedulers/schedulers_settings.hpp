#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/schedulers/scheduler_settings.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// A file of the study `schedulers`, read. What it may leave out has its default here.
struct SchedulersSettings : ProviderSettings {
  std::vector<std::int64_t> schedulers{};
  std::vector<DealRule> deals{DealRule::kByRequest};
  std::vector<double> refresh_intervals_s{};
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
