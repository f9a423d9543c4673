#include "sim_harness/customer/broker/broker_job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <tuple>

#include "core/portable_math.hpp"
#include "core/random.hpp"

namespace cospot {
namespace {

double seconds_of(SimTime time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

double user_estimate(double seconds, double draw) {
  // Minutes, then hours, that people state; Tsafrir et al. find about 20 of them in every log.
  static constexpr std::array<double, 21> kRound{
      300,   600,   900,   1200,  1800,  2700,  3600,   7200,   10800,  14400, 18000,
      21600, 28800, 36000, 43200, 64800, 86400, 129600, 172800, 259200, 345600};
  constexpr double kLeastAccuracy = 0.05;
  const double target = seconds / std::max(kLeastAccuracy, 1 - draw);
  const auto found = std::lower_bound(kRound.begin(), kRound.end(), target);
  return std::max(seconds, found == kRound.end() ? kRound.back() : *found);
}

std::vector<BrokerJob> make_broker_jobs(const std::vector<Job>& log, std::size_t count,
                                        Seconds length, std::uint64_t seed, const JobModel& model) {
  std::vector<const Job*> order;
  for (const Job& job : log) {
    if (job.duration && seconds_of(*job.duration) >= 1) order.push_back(&job);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Job* a, const Job* b) { return a->submission < b->submission; });
  std::vector<BrokerJob> jobs;
  Random random(seed);
  for (const Job* job : order) {
    const double since_first = seconds_of(job->submission - order.front()->submission);
    if (jobs.size() == count || since_first >= static_cast<double>(length)) break;
    BrokerJob one{.submission = static_cast<Seconds>(since_first), .user = job->user.value_or(0)};
    one.parallelism = portable_exp(random.uniform() * portable_log(model.max_parallelism));
    one.sigma = random.uniform() * model.max_sigma;
    if (job->parallelism) {
      one.parallelism = *job->parallelism;
      one.sigma = 0;
    }
    one.sigma = job->sigma.value_or(one.sigma);
    one.memory_mb = job->memory_mb.value_or(0);
    const double width = std::max(1, job->width());
    const double speedup = downey_speedup(width, std::max(one.parallelism, width), one.sigma);
    one.work = seconds_of(*job->duration) * speedup;
    one.estimate = user_estimate(one.work, random.uniform());
    if (job->estimate) one.estimate = seconds_of(*job->estimate) * speedup;
    const double slack = model.min_slack + (model.max_slack - model.min_slack) * random.uniform();
    one.deadline = one.submission + std::llround(one.estimate * slack);
    if (job->deadline) {
      one.deadline = static_cast<Seconds>(seconds_of(*job->deadline - order.front()->submission));
    }
    jobs.push_back(one);
  }
  return jobs;
}

std::vector<Job> make_synthetic_log(std::size_t count, Seconds length, std::uint64_t seed) {
  // Bursts of a user's similar jobs; run times as the LCG log's: median 255 s, mean about 8,000 s.
  constexpr std::uint64_t kUsers = 100;
  constexpr double kMeanBurst = 20, kLogMedian = 5.5, kLogSigma = 2.4;
  constexpr double kLongest = 345'600;
  Random random(seed);
  std::vector<Job> jobs;
  while (jobs.size() < count) {
    const double at = random.uniform() * static_cast<double>(length);
    const auto user = static_cast<std::int64_t>(random.below(kUsers));
    const double typical = kLogMedian + kLogSigma * random.normal();
    const auto burst = 1 + static_cast<std::size_t>(random.exponential(1 / kMeanBurst));
    for (std::size_t i = 0; i < burst && jobs.size() < count; ++i) {
      const double seconds =
          std::clamp(portable_exp(typical + 0.3 * random.normal()), 1.0, kLongest);
      const double submission =
          std::min(at + 30.0 * static_cast<double>(i), static_cast<double>(length) - 1);
      Job job;
      job.id = static_cast<std::int64_t>(jobs.size()) + 1;
      job.submission = SimTime(std::llround(submission) * 1'000'000);
      job.duration = SimTime(std::llround(seconds) * 1'000'000);
      job.processors = 1;
      job.user = user;
      jobs.push_back(job);
    }
  }
  return jobs;
}

double downey_speedup(double n, double a, double sigma) {
  if (sigma <= 1) {  // low variance
    if (n <= a) return a * n / (a + sigma * (n - 1) / 2);
    if (n <= 2 * a - 1) return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
    return a;
  }
  if (n <= a + a * sigma - sigma) return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
  return a;
}

Seconds time_on(const InstanceType& type, double work, const BrokerJob& job) {
  if (type.memory_mb < job.memory_mb) return kDoesNotFit;
  const double speedup = downey_speedup(type.ecu, job.parallelism, job.sigma);
  return std::max<Seconds>(1, static_cast<Seconds>(std::ceil(work / speedup)));
}

std::uint32_t preferred_type(const std::vector<InstanceType>& types, const BrokerJob& job,
                             std::span<const Seconds> expected) {
  const auto cores = [&](std::size_t type) {
    return std::min<double>(types[type].ecu, std::ceil(job.parallelism));
  };
  // Most cores, or fewest where nothing takes an hour; then the lowest price.
  const auto best = [&](double sign, bool only_long) {
    std::uint32_t found = static_cast<std::uint32_t>(types.size());
    for (std::uint32_t i = 0; i < types.size(); ++i) {
      if (expected[i] == kDoesNotFit || (only_long && expected[i] <= kHour)) continue;
      const auto rank = [&](std::size_t type) {
        return std::tuple(-sign * cores(type), types[type].on_demand_price);
      };
      if (found == types.size() || rank(i) < rank(found)) found = i;
    }
    return found;
  };
  const std::uint32_t with_hour = best(1, true);
  return with_hour < types.size() ? with_hour : best(-1, false);
}

}  // namespace cospot
