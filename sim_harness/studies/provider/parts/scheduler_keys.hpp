#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/schedulers/scheduler_settings.hpp"

namespace cospot {

/// The settings of a study file for several schedulers, with defaults for optional keys.
struct SchedulersSettings {
  std::vector<std::int64_t> schedulers{};
  std::vector<DealRule> assignments{DealRule::kByRequest};
  std::vector<double> refresh_intervals_s{};
  std::vector<double> decisions_ms{20};
  std::vector<CommitRule> commits{CommitRule::kGeneration};
  std::vector<RetryRule> retry_rules{RetryRule::kAlternates};
  std::vector<std::int64_t> max_retries{2};  ///< Nova's max_attempts is 3
};

/// The looseness with which one or several schedulers follow a ranking.
struct SubsetSettings {
  std::vector<std::int64_t> subset_sizes{1};
};

[[nodiscard]] AxisValue axis_value(DealRule rule);
[[nodiscard]] AxisValue axis_value(CommitRule rule);
[[nodiscard]] AxisValue axis_value(RetryRule rule);
[[nodiscard]] Json setting_json(DealRule rule);
[[nodiscard]] Json setting_json(CommitRule rule);
[[nodiscard]] Json setting_json(RetryRule rule);

extern const Axis<SchedulersSettings, std::int64_t> kSchedulersAxis;
extern const Axis<SchedulersSettings, DealRule> kAssignedByAxis;
extern const Axis<SchedulersSettings, double> kRefreshIntervalAxis;
extern const Axis<SchedulersSettings, double> kDecisionAxis;
extern const Axis<SchedulersSettings, CommitRule> kCommitRuleAxis;
extern const Axis<SchedulersSettings, RetryRule> kRetryRuleAxis;
extern const Axis<SchedulersSettings, std::int64_t> kMaxRetriesAxis;
extern const Axis<SubsetSettings, std::int64_t> kHostSubsetSizeAxis;

/// Their entries of study_parts().
[[nodiscard]] struct StudyPart schedulers_part();
[[nodiscard]] struct StudyPart host_subset_part();

}  // namespace cospot
