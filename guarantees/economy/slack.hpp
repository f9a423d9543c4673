#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// An amount of one resource (vcpus, cores, MiB) in millionths: slacks add up exactly.
using SlackAmount = std::int64_t;
inline constexpr SlackAmount kSlackUnit = 1'000'000;

/// The largest amount, 10^9 units: sums and differences of a few stay far from overflow.
inline constexpr SlackAmount kMaxSlackAmount = 1'000'000'000 * kSlackUnit;

/// The capacity and use of a cloud at a time.
struct UsageSample {
  SimTime time{0};
  SlackAmount capacity = 0;
  SlackAmount used = 0;
  std::optional<SlackAmount> reserved{};  ///< sum of the reservations, where it is known
  std::optional<SlackAmount> limit{};     ///< sum of the limits of what runs, where it is known

  friend bool operator==(const UsageSample&, const UsageSample&) = default;
};

/// The unused capacity, by its origin. A part is negative if more is used than is granted. Source:
/// Carvalho et al., section 2 and Figure 1.
struct Slack {
  SlackAmount reservation = 0;  ///< capacity that nobody has reserved
  SlackAmount allocation = 0;   ///< reserved, but given to no instance
  SlackAmount usage = 0;        ///< given to instances, but not used by them

  [[nodiscard]] SlackAmount total() const { return reservation + allocation + usage; }
};

/// The slack of a sample; its total is capacity - used, exactly. An unknown limit counts as what is
/// used, an unknown reservation as the limit.
[[nodiscard]] Slack slack_of(const UsageSample& sample);

/// Usage over time.
struct UsageSeries {
  std::string name{};
  std::string sha256{};  ///< of what it was read from
  std::vector<UsageSample> samples{};
  /// Every sample holds until the next one (instances that start and end); otherwise it was
  /// measured, and says nothing of the time around it.
  bool holds_until_next = false;
};

/// The treatment of periods without a sample.
enum class GapRule : std::uint8_t {
  kRefuse,  ///< an error that names the first one
  kRepeat,  ///< they are as the period before them
};

/// The least slack in each of some consecutive periods, such as days, and the capacity at the end
/// of each.
struct SlackPeriods {
  SimTime length = kDay;
  std::int64_t first = 0;  ///< the first period begins at first * length
  std::vector<SlackAmount> slack{};
  std::vector<SlackAmount> capacity{};
  std::size_t repeated = 0;  ///< periods that were gaps

  [[nodiscard]] std::size_t size() const { return slack.size(); }
};

/// The minimum of the total slack in every period of `length`; periods begin at multiples of it. A
/// period at either end that the samples do not cover is left out.
///
/// Errors: InputError for a gap with GapRule::kRefuse, and when no whole period is covered.
/// Source: Carvalho et al., section 5.1 (days).
[[nodiscard]] SlackPeriods period_minima(const UsageSeries& usage, SimTime length,
                                         GapRule gaps = GapRule::kRefuse);

}  // namespace cospot
