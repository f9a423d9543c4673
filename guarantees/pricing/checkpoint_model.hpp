#pragma once

namespace cospot {

// Rates for saving and restoring an instance's memory, in MB/s. Source: Voorsluys and Buyya, AINA
// 2012, section IV.C, from Sotomayor et al., 2009.
inline constexpr double kSaveMbPerSecond = 63.67;
inline constexpr double kRestoreMbPerSecond = 81.27;     ///< in the same datacenter
inline constexpr double kFarRestoreMbPerSecond = 40.64;  ///< in another one

// The cost of revocations to a batch job that saves checkpoints, in closed form. Times are in
// hours. The mean time to revocation (MTTR) may be infinite: then nothing is ever lost.
//
// Source: Shastri et al., "Transient guarantees", SC 2016, equations 1 to 3; J. Daly, 2006.
// Errors of all of them: ConfigError for a time that is not positive.

/// The time to save the memory of a server: 10 minutes for 16 GB, and in proportion.
[[nodiscard]] double checkpoint_hours(double memory_gb);

/// The mean time to revocation of a server of which `share` (between 0 and 1) are revoked before
/// `life`, at the same rate at any age: 1 - e^(-life / MTTR) = share.
[[nodiscard]] double mean_life(double life, double share);

/// Equation 1: how long to work between checkpoints, sqrt(2 checkpoint MTTR).
[[nodiscard]] double optimal_interval(double checkpoint, double mttr);

/// The time added to each hour of work, as a fraction, if a checkpoint is saved after each
/// `interval` of work: checkpoint / interval + interval / (2 MTTR).
[[nodiscard]] double extra_time(double checkpoint, double mttr, double interval);

/// Equation 2: the expected time that `work` takes.
[[nodiscard]] double expected_time(double work, double checkpoint, double mttr, double interval);

/// The speed of the server relative to one without revocations, 1 / (1 + extra time). The part of
/// the server's time that is lost is 1 minus that: not the same number as the extra time.
[[nodiscard]] double performance(double checkpoint, double mttr, double interval);

/// The same with the optimal interval: 1 / (1 + sqrt(2 checkpoint / MTTR)).
[[nodiscard]] double best_performance(double checkpoint, double mttr);

/// The same without the approximation: the speed when revocations are a Poisson process, when they
/// may also fall into a checkpoint or a restart, and each costs `restart` (boot and restore; 0 or
/// more) before work goes on. Equation 2 is about the same where the interval is short against the
/// MTTR, and the checkpoint against the interval.
[[nodiscard]] double renewal_performance(double checkpoint, double mttr, double interval,
                                         double restart);

/// The price that a customer pays for a server of some speed, as a fraction of the on-demand price.
enum class PriceRule : bool {
  kEquilibrium,  ///< equation 3: as much a unit of useful time as on demand
  kUtility,      ///< what users offer: 101^performance - 1 percent of it (section III-C)
};

[[nodiscard]] double price(PriceRule rule, double performance);

}  // namespace cospot
