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

/// The jobs of each seed, drawn once for all cells of a grid. Safe to use from many threads.
class DrawnJobs {
 public:
  using Shared = std::shared_ptr<const std::vector<BrokerJob>>;

  /// The jobs of a value of the axis `jobs` and a seed; `draw` makes them when they are new.
  [[nodiscard]] Shared of(std::size_t jobs_value, std::int64_t seed,
                          const std::function<std::vector<BrokerJob>()>& draw);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::int64_t>, Shared> kept_;
  std::size_t kept_jobs_ = 0;
};

}  // namespace cospot
