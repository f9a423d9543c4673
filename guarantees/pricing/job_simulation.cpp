#include "guarantees/pricing/job_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/errors.hpp"
#include "guarantees/pricing/checkpoint_model.hpp"

namespace cospot {
namespace {

/// More servers in a row without a checkpoint than any job that ends will see.
constexpr std::uint64_t kMostFutile = 1000000;
/// Pieces of work, checkpoints and restarts: a second or so.
constexpr std::uint64_t kMostSteps = 100'000'000;

void require(bool valid, std::string_view what, double value, std::string_view expected) {
  if (!valid) throw ConfigError(fmt::format("{} is {} h, expected {}", what, value, expected));
}

/// One job on one server after the other.
class RunningJob {
 public:
  RunningJob(double work, const CheckpointPolicy& policy, const JobCosts& costs)
      : work_(work), policy_(policy), costs_(costs) {}

  /// Uses up a server. True: the job is done.
  bool run_on(const ServerLife& server) {
    outcome_.waiting += server.wait;
    left_ = server.life;
    const bool restarts = outcome_.revocations > 0;
    const double restart = restarts ? costs_.boot + (outcome_.useful > 0 ? costs_.restore : 0) : 0;
    bool alive = spend(restart, outcome_.restarting);
    const double before = outcome_.useful;
    if (alive) alive = policy_.knows_revocations ? work_foreseeing() : work_periodically();
    if (alive) return outcome_.finished = true;
    ++outcome_.revocations;
    futile_ = outcome_.useful > before ? 0 : futile_ + 1;
    if (futile_ < kMostFutile) return false;
    throw ConfigError(
        fmt::format("the job saved nothing on {} servers in a row: they are revoked too soon for a "
                    "checkpoint of {} h",
                    kMostFutile, costs_.checkpoint));
  }

  [[nodiscard]] const JobOutcome& outcome() const { return outcome_; }

 private:
  /// Spends time on something. False: the server was revoked meanwhile.
  bool spend(double time, double& on) {
    if (++steps_ > kMostSteps) {
      throw ConfigError(
          fmt::format("the work of a job is {} h, which takes over {} pieces, checkpoints and "
                      "restarts, expected less work or more time between checkpoints",
                      work_, kMostSteps));
    }
    const bool alive = time <= left_;
    on += std::min(time, left_);
    left_ -= std::min(time, left_);
    return alive;
  }

  /// True: the job is done. False: revoked.
  bool work_periodically() {
    for (;;) {
      const double piece = std::min(policy_.interval_hours, work_ - outcome_.useful);
      if (!spend(piece, outcome_.recomputing)) return false;
      if (outcome_.useful + piece >= work_) return keep(piece);
      if (!spend(costs_.checkpoint, outcome_.checkpointing)) return false;
      keep(piece);
    }
  }

  /// Work that was taken for lost until it was safe.
  bool keep(double piece) {
    outcome_.recomputing -= piece;
    outcome_.useful += piece;
    return true;
  }

  bool work_foreseeing() {
    const double rest = work_ - outcome_.useful;
    if (rest <= left_) return spend(rest, outcome_.useful);
    if (left_ > costs_.checkpoint) {
      spend(left_ - costs_.checkpoint, outcome_.useful);
      spend(left_, outcome_.checkpointing);
    } else {
      outcome_.waiting += left_;
    }
    return false;
  }

  double work_;
  CheckpointPolicy policy_;
  JobCosts costs_;
  JobOutcome outcome_;
  double left_ = 0;  // of the server's life
  std::uint64_t futile_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

CheckpointPolicy CheckpointPolicy::assuming(double mttr_hours, double checkpoint_hours) {
  return every(optimal_interval(checkpoint_hours, mttr_hours));
}

JobOutcome simulate_job(double work_hours, RevocationProcess& servers,
                        const CheckpointPolicy& policy, const JobCosts& costs) {
  require(work_hours > 0, "the work of a job", work_hours, "a number above 0");
  require(costs.checkpoint > 0, "the time of a checkpoint", costs.checkpoint, "a number above 0");
  require(costs.restore >= 0, "the time to restore", costs.restore, "0 or more");
  require(costs.boot >= 0, "the time to boot", costs.boot, "0 or more");
  require(policy.knows_revocations || policy.interval_hours > 0, "the time between checkpoints",
          policy.interval_hours, "a number above 0");
  RunningJob job(work_hours, policy, costs);
  while (const std::optional<ServerLife> server = servers.next()) {
    if (job.run_on(*server)) break;
  }
  return job.outcome();
}

}  // namespace cospot
