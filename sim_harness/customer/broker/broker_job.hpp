#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim_harness/data/jobs/job.hpp"
#include "sim_harness/data/markets/instance_type.hpp"
#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// A moldable job: it runs on all compute units of one instance.
struct BrokerJob {
  Seconds submission = 0;  ///< since the submission of the first job
  Seconds deadline = 0;    ///< since the first job's submission
  std::int64_t user = 0;
  double work = 0;                    ///< seconds on one compute unit
  double estimate = 0;                ///< the user's estimate of the work
  double parallelism = 1, sigma = 0;  ///< Downey's A and sigma; the broker knows them
  double memory_mb = 0;               ///< required of the instance; 0: not in the log

  friend bool operator==(const BrokerJob&, const BrokerJob&) = default;
};

/// Random values for jobs whose log does not state them.
struct JobModel {
  // A is log-uniform and sigma uniform, in the ranges of Downey's paper. The parameters fitted by
  // Cirne and Berman were not available; set these fields to use them.
  double max_parallelism = 64;
  double max_sigma = 2;
  // The deadline is the submission plus the user's estimate times a uniform factor.
  double min_slack = 1.5, max_slack = 4;
};

/// The user's estimate of a run time: a round value, as people state, that is at least the run
/// time, with run time / estimate nearly uniform. A simplification of Tsafrir, Etsion and
/// Feitelson, "Modeling user runtime estimates", 2005, whose model also fits the popularity of each
/// value. `draw` is in [0, 1).
[[nodiscard]] double user_estimate(double seconds, double draw);

/// The first `count` jobs of a log that are submitted within `length` seconds of its first one, in
/// order of submission. Drops jobs whose run time is unknown or not positive. Values from the log
/// take precedence over random ones; a parallelism without a sigma in a job CSV means linear
/// speedup. A seed gives the same random values regardless of what the log states.
[[nodiscard]] std::vector<BrokerJob> make_broker_jobs(const std::vector<Job>& log,
                                                      std::size_t count, Seconds length,
                                                      std::uint64_t seed,
                                                      const JobModel& model = {});

/// Synthetic jobs like those of the LHC grid: bursts of short and long serial jobs by a few users.
[[nodiscard]] std::vector<Job> make_synthetic_log(std::size_t count, Seconds length,
                                                  std::uint64_t seed);

/// The speedup of a job on n processors over one, given its average parallelism A >= 1 and the
/// variance sigma >= 0 of that: 1 on one processor, at most min(A, n).
///
/// Source: A. Downey, "A model for speedup of parallel programs", 1997.
[[nodiscard]] double downey_speedup(double n, double average_parallelism, double sigma);

/// The run time of a job on a type with too little memory: beyond every deadline and price.
inline constexpr Seconds kDoesNotFit = Seconds{1} << 40;

/// The run time of `work` on a type in seconds, at least 1; kDoesNotFit if the type has too little
/// memory.
[[nodiscard]] Seconds time_on(const InstanceType& type, double work, const BrokerJob& job);

/// The type on which a job uses the most cores and is still expected to take more than an hour. If
/// it takes less than an hour on every type, the one on which it uses the fewest. A job uses as
/// many cores as its average parallelism. Ties: the lowest list price. Expects that the job fits on
/// some type.
[[nodiscard]] std::uint32_t preferred_type(const std::vector<InstanceType>& types,
                                           const BrokerJob& job, std::span<const Seconds> expected);

}  // namespace cospot
