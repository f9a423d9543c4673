#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/policy/host_ranking.hpp"

namespace cospot {

/// The number of its ranked hosts that the VM side offers for a VM. One of three rules:
///
/// - **top N**, the paper's OTN: the first N hosts.
/// - **adaptive**: the first N(u), where u is the VM load (core/model/vm_load.hpp) as the VM
/// arrives:
///   N(u) = floor(N_low + (N_high - N_low) t + 1/2), t = (u - from) / (to - from) clamped to 0..1
///   (with from = to: t = 1 from there on).
/// - **epsilon**: every host in the tiers of the first one whose weight is at most epsilon x spread
///   below the first one's; the spread is the greatest minus the least weight of all feasible
///   hosts. Weights are those the chain ranks by, so epsilon means the same in any unit: 0 offers
///   the ties of the first host, 1 all hosts in its tiers.
///
/// Source: CoSpot, section 3 (OTN); section 7 names the other two as future work and fixes neither.
class OfferRule {
 public:
  enum class Kind : std::uint8_t { kTopN, kAdaptive, kEpsilon };

  /// No offer is cut short by it.
  static constexpr std::size_t kAllHosts = SIZE_MAX;
  /// The largest N, and the smallest number but 0 that a label holds.
  static constexpr std::size_t kMaxOtn = 10'000'000;
  static constexpr double kLeastFraction = 0.0001;

  /// The curve that `adaptive` follows; loads are fractions of the scarcest resource.
  struct Schedule {
    std::size_t at_low_load = 32;  ///< N up to load `from`
    std::size_t at_high_load = 1;  ///< N from load `to` on
    double from = 0;
    double to = 1;

    // clang-tidy sees the 0 that a three-way result is compared with.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Schedule&, const Schedule&) = default;
  };

  /// The paper's OTN; a number is one. Errors: ConfigError when it is not in 1..kMaxOtn.
  OfferRule(std::size_t otn = 1);  // NOLINT(google-explicit-constructor)

  /// Errors: ConfigError for an OTN out of range, fractions that are not in 0..1 or from > to.
  [[nodiscard]] static OfferRule adaptive(const Schedule& schedule);
  [[nodiscard]] static OfferRule within(double epsilon);

  /// The name in result rows: `8`, `adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1`,
  /// `epsilon-0.05`.
  [[nodiscard]] std::string label() const;

  /// Reads a label, also of before labels had names (`adaptive-32-1-0.8-1`).
  /// Errors: ConfigError that shows what a rule looks like.
  [[nodiscard]] static OfferRule parse(std::string_view label);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// N of a top N rule; 0 of others.
  [[nodiscard]] std::size_t otn() const { return kind_ == Kind::kTopN ? schedule_.at_low_load : 0; }
  [[nodiscard]] bool follows_load() const { return kind_ == Kind::kAdaptive; }
  [[nodiscard]] bool compares_weights() const { return kind_ == Kind::kEpsilon; }
  /// Never offers a second host.
  [[nodiscard]] bool is_one_host() const {
    return kind_ != Kind::kEpsilon && schedule_.at_low_load == 1 && schedule_.at_high_load == 1;
  }

  /// The most hosts that are offered at a VM load.
  [[nodiscard]] std::size_t most_hosts(double vm_load) const;

  /// Tells whether `host` is close enough to the first-ranked one. Only for epsilon.
  [[nodiscard]] bool admits(const Standing& first, const Standing& host, double spread) const {
    return host.tiers == first.tiers && first.weight - host.weight <= epsilon_ * spread;
  }

  /// Top N by N, then adaptive, then epsilon.
  // NOLINTNEXTLINE(modernize-use-nullptr) as above
  friend auto operator<=>(const OfferRule&, const OfferRule&) = default;

 private:
  Kind kind_ = Kind::kTopN;
  Schedule schedule_{.at_low_load = 1};
  double epsilon_ = 0;
};

}  // namespace cospot
