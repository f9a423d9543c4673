#pragma once

#include <span>

namespace cospot {

/// Idle time and revocations of a class on one day.
struct DayOfIdle {
  double idle_hours = 0;
  double revocations = 0;
};

/// A confidence interval of the time to revocation; `high` may be infinite.
struct HourInterval {
  double low = 0;
  double high = 0;
};

/// The 95 % confidence interval of idle time / revocations. Servers are revoked together, when
/// demand rises, so blocks of time are what is independent, not revocations: the interval is that
/// of a ratio of sums over blocks (on the logarithm, Student's t), or the exact one of a Poisson
/// count where that is wider, as with few revocations. Where VMs run for days a day is like the one
/// before, and days pretend to more evidence than there is. So blocks of 1, 2, 4, ... days are
/// tried, down to four of them, and the widest interval counts.
[[nodiscard]] HourInterval time_to_revocation_interval(std::span<const DayOfIdle> days);

}  // namespace cospot
