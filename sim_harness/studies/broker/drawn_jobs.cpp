#include "sim_harness/studies/broker/drawn_jobs.hpp"

namespace cospot {
namespace {

/// About 225 MB: the 31 seeds of the paper with 100,000 jobs each, and a few more.
constexpr std::size_t kMostKeptJobs = 4'000'000;

}  // namespace

DrawnJobs::Shared DrawnJobs::of(std::size_t jobs_value, std::int64_t seed,
                                const std::function<std::vector<BrokerJob>()>& draw) {
  const std::pair key(jobs_value, seed);
  // Drawn under the lock: threads that work on different cells want the same seeds at the same
  // time.
  const std::scoped_lock lock(mutex_);
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  Shared jobs = std::make_shared<const std::vector<BrokerJob>>(draw());
  if (kept_jobs_ + jobs->size() <= kMostKeptJobs) {
    kept_jobs_ += jobs->size();
    kept_.emplace(key, jobs);
  }
  return jobs;
}

}  // namespace cospot
