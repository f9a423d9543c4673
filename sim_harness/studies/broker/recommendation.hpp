#pragma once

#include <string>
#include <vector>

#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/broker/broker_text.hpp"

namespace cospot {

/// One way to run the jobs, over all seeds.
struct Candidate {
  std::string bid{}, fault_tolerance{}, market_choice{};
  double alpha = 0;
  MeanInterval cost{};     ///< USD
  double late_share = 0;   ///< of all jobs: mean
  double worst_late = 0;   ///< of the worst seed
  double revocations = 0;  ///< mean
  double saving = 0;       ///< of what it costs on-demand
};

struct Recommendation {
  std::vector<Candidate> ranked{};  ///< those that risk no more than allowed, the cheapest first
  std::vector<Candidate> others{};  ///< the rest, the safest first
  MeanInterval on_demand{};         ///< cost of the same jobs on-demand alone, USD
  double on_demand_late = 0;        ///< share of jobs late there
  double allowed_late = 0;
  std::size_t seeds = 0;
};

/// Tries every bid, alpha, mechanism and choice of the file, for its first market, jobs and
/// billing, over all seeds. `allowed_late`: the share of jobs that may miss their deadline, on the
/// mean.
[[nodiscard]] Recommendation recommend(const BrokerStudySettings& settings, double allowed_late);

[[nodiscard]] std::string recommendation_text(const Recommendation& recommendation);
[[nodiscard]] std::string recommendation_json(const Recommendation& recommendation);

}  // namespace cospot
