#pragma once

#include <cstdint>

#include "guarantees/pricing/revocation_process.hpp"

namespace cospot {

/// The times at which a batch job saves checkpoints.
struct CheckpointPolicy {
  bool knows_revocations = false;  ///< the oracle: one, right before each revocation
  double interval_hours = 0;       ///< of work between two; not for the oracle

  [[nodiscard]] static CheckpointPolicy oracle() { return {.knows_revocations = true}; }
  [[nodiscard]] static CheckpointPolicy every(double hours) { return {.interval_hours = hours}; }
  [[nodiscard]] static CheckpointPolicy hourly() { return every(1); }
  /// The best interval for that MTTR, which need not be the true one.
  [[nodiscard]] static CheckpointPolicy assuming(double mttr_hours, double checkpoint_hours);
};

/// The hours that a job spends in addition to its work.
struct JobCosts {
  double checkpoint = 10.0 / 60;
  double restore = 0;  ///< after a revocation, where anything was saved
  double boot = 0;     ///< of the server that follows a revoked one
};

/// The use of a job's time, in hours.
struct JobOutcome {
  double useful = 0;         ///< work that was not lost
  double checkpointing = 0;  ///< what revocations cut short among it
  double recomputing = 0;    ///< work that revocations undid
  double restarting = 0;     ///< boot and restore
  double waiting = 0;        ///< for a server; under the oracle also for its revocation
  std::uint64_t revocations = 0;
  bool finished = false;  ///< not when the record ended before

  [[nodiscard]] double elapsed() const {
    return useful + checkpointing + recomputing + restarting + waiting;
  }
  /// The speed relative to a server without revocations.
  [[nodiscard]] double performance() const { return useful / elapsed(); }
};

/// Runs a job of `work_hours` until it is done or the record ends.
/// Errors: ConfigError for work, costs or an interval that cannot be, and for a job that makes no
/// progress in a million servers.
[[nodiscard]] JobOutcome simulate_job(double work_hours, RevocationProcess& servers,
                                      const CheckpointPolicy& policy, const JobCosts& costs);

}  // namespace cospot
