#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sim_harness/customer/broker/broker_job.hpp"

namespace cospot {

/// The jobs of each seed, generated once for all cells of a grid. Thread-safe.
class DrawnJobs {
 public:
  using Shared = std::shared_ptr<const std::vector<BrokerJob>>;

  /// The jobs of a value of the axis `jobs` and a seed; `draw` generates them on first use.
  [[nodiscard]] Shared of(std::size_t jobs_value, std::int64_t seed,
                          const std::function<std::vector<BrokerJob>()>& draw);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::int64_t>, Shared> kept_;
  std::size_t kept_jobs_ = 0;
};

}  // namespace cospot
