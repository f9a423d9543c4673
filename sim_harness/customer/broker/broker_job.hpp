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
  Seconds submission = 0;  ///< since the first job's
  Seconds deadline = 0;    ///< since the first job's submission
  std::int32_t user = 0;
  double work = 0;                    ///< seconds on one compute unit
  double estimate = 0;                ///< of the work, by the user
  double parallelism = 1, sigma = 0;  ///< Downey's A and sigma; the broker knows them
  double memory_mb = 0;               ///< that an instance must have; 0: the log does not say

  friend bool operator==(const BrokerJob&, const BrokerJob&) = default;
};

/// What is drawn for each job whose log does not have it.
struct JobModel {
  // A is log-uniform, sigma uniform: the ranges of Downey's paper. The parameters that Cirne and
  // Berman fitted were not at hand; these are settings for whoever has them.
  double max_parallelism = 64;
  double max_sigma = 2;
  // The deadline is the submission plus the user's estimate times a uniform factor.
  double min_slack = 1.5, max_slack = 4;
};

/// The user's estimate of a run time: a round value, as people state, not below the run time, such
/// that run time / estimate is nearly uniform. A small version of Tsafrir, Etsion and Feitelson,
/// "Modeling user runtime estimates", 2005: their model also fits how popular each value is.
/// `draw` is in [0, 1).
[[nodiscard]] double user_estimate(double seconds, double draw);

/// The first `count` jobs of a log that are submitted within `length` seconds of its first one, in
/// order of submission, without those whose run time is not known or not above 0. Everything that
/// the log states holds; a job CSV's parallelism without a sigma is taken for linear speedup. The
/// same draws for a seed everywhere, whatever the log states.
[[nodiscard]] std::vector<BrokerJob> make_broker_jobs(const std::vector<Job>& log,
                                                      std::size_t count, Seconds length,
                                                      std::uint64_t seed,
                                                      const JobModel& model = {});

/// Synthetic jobs like those of the LHC grid: bursts of short and long serial jobs by some users.
[[nodiscard]] std::vector<Job> make_synthetic_log(std::size_t count, Seconds length,
                                                  std::uint64_t seed);

/// What a job takes on a type that has too little memory for it: beyond every deadline and price.
inline constexpr Seconds kDoesNotFit = Seconds{1} << 40;

/// Seconds that `work` takes on a type, at least 1; kDoesNotFit where the type has too little
/// memory.
[[nodiscard]] Seconds time_on(const InstanceType& type, double work, const BrokerJob& job);

/// The type on which a job uses most cores while it is expected to take more than an hour; where it
/// takes no hour on any, the one on which it uses fewest. A job uses as many cores as its average
/// parallelism. Of equals, the one with the lowest list price. Expects a type that it fits on.
[[nodiscard]] std::uint32_t preferred_type(const std::vector<InstanceType>& types,
                                           const BrokerJob& job, std::span<const Seconds> expected);

}  // namespace cospot
