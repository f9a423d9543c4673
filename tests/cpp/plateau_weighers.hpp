#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "core/ranking/keyed_weigher.hpp"

namespace cospot {

/// A keyed weigher on which many hosts with distinct keys tie: the less memory a host has free, the
/// better, but only in steps of `step_mb`.
template <class Key, Sees kSeen = Sees::kVmsAndSpots, bool kPerTotal = false>
class SteppedWeigher final : public KeyedWeigher<SteppedWeigher<Key, kSeen, kPerTotal>> {
 public:
  static constexpr Sees kSees = kSeen;
  static constexpr bool kKeyPerTotal = kPerTotal;

  explicit SteppedWeigher(ResourceAmount step_mb, Tier tier = Tier::kNone)
      : step_mb_(step_mb), tier_(tier) {}

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    const ResourceAmount steps = host.free(kSees).memory_mb / step_mb_;
    return -static_cast<double>(steps);
  }
  [[nodiscard]] Tier tier() const override { return tier_; }
  [[nodiscard]] Key host_key(HostRow host) const noexcept {
    return -static_cast<Key>(host.free(kSees).memory_mb);
  }
  [[nodiscard]] double highest_weight(const Request& /*request*/, const ResourceVector& /*total*/,
                                      KeyRange keys) const noexcept {
    // Between which keys the hosts are is known only where the key is one of a total.
    if (!kPerTotal) return std::numeric_limits<double>::infinity();
    return -std::floor(-keys.highest / step_mb_);
  }

 private:
  ResourceAmount step_mb_;
  Tier tier_;
};

/// Prefers hosts about half full, in steps, so that hosts tie on both sides of the target. From
/// `reach` vcpus below and above it on, the weight stays as it is there. A reach may be negative:
/// then the target lies on that plateau.
class HalfFullWeigher final : public KeyedWeigher<HalfFullWeigher> {
 public:
  struct Reach {
    double below = std::numeric_limits<double>::infinity();
    double above = std::numeric_limits<double>::infinity();
  };

  HalfFullWeigher(ResourceAmount total_vcpus, ResourceAmount step, Reach reach)
      : half_(std::floor(total_vcpus / 2.0)), step_(step), reach_(reach) {}

  [[nodiscard]] double weigh_host(HostRow host, const Request& request) const noexcept {
    const double target = half_ - request.vcpus;
    const double used =
        std::clamp<double>(host_key(host), target - reach_.below, target + reach_.above);
    return -std::floor(std::abs(used - target) / step_);
  }
  [[nodiscard]] std::int32_t host_key(HostRow host) const noexcept {
    return host.used(Sees::kVmsAndSpots).vcpus;
  }
  [[nodiscard]] KeyPreference preference(const Request& request,
                                         const ResourceVector& /*total*/) const noexcept {
    const double target = half_ - request.vcpus;
    return {.target = target,
            .low = target - reach_.below,
            .high = target + reach_.above,
            .distinct_weights = false};
  }

 private:
  double half_;
  double step_;
  Reach reach_;
};

/// The same weights without a key: a chain with it scans all hosts.
class ScannedWeigher final : public Weigher {
 public:
  explicit ScannedWeigher(std::unique_ptr<Weigher> keyed) : keyed_(std::move(keyed)) {}

  void weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                 const Request& request, std::span<double> weights) const override {
    keyed_->weigh_all(hosts, candidates, request, weights);
  }
  [[nodiscard]] Tier tier() const override { return keyed_->tier(); }

 private:
  std::unique_ptr<Weigher> keyed_;
};

struct PlateauWeigher {
  const char* what;
  /// For hosts whose largest total is this one.
  std::function<std::unique_ptr<Weigher>(const ResourceVector& total)> make;
};

/// A third and a tenth of a host in one step, every kind of key, and plateaus that the weigher
/// states beside those that it does not.
[[nodiscard]] inline const std::array<PlateauWeigher, 9>& plateau_weighers() {
  using Reach = HalfFullWeigher::Reach;
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  const auto third = [](ResourceAmount amount) { return std::max(1, amount / 3); };
  const auto tenth = [](ResourceAmount amount) { return std::max(1, amount / 10); };
  const auto half_full = [=](double below, double above) {
    return [=](const ResourceVector& total) -> std::unique_ptr<Weigher> {
      const ResourceAmount part = total.vcpus / 8;
      return std::make_unique<HalfFullWeigher>(total.vcpus, tenth(total.vcpus),
                                               Reach{below * part, above * part});
    };
  };
  static const std::array<PlateauWeigher, 9> all{{
      {"thirds, integer keys",
       [=](const ResourceVector& total) {
         return std::make_unique<SteppedWeigher<std::int32_t>>(third(total.memory_mb));
       }},
      {"tenths, keys of doubles",
       [=](const ResourceVector& total) {
         return std::make_unique<SteppedWeigher<double>>(tenth(total.memory_mb));
       }},
      {"thirds, sees VMs alone, hosts without VMs first",
       [=](const ResourceVector& total) {
         return std::make_unique<SteppedWeigher<std::int32_t, Sees::kVms>>(third(total.memory_mb),
                                                                           Tier::kHoldsNoVm);
       }},
      {"tenths, a key per total",
       [=](const ResourceVector& total) {
         return std::make_unique<SteppedWeigher<double, Sees::kVmsAndSpots, true>>(
             tenth(total.memory_mb));
       }},
      {"half full", half_full(kFar, kFar)},
      {"half full, plateaus on both ends", half_full(2, 1)},
      {"half full, the target on the high plateau", half_full(kFar, -1)},
      {"half full, the target on the low plateau", half_full(-1, 2)},
      {"half full, all alike from the target on", half_full(2, 0)},
  }};
  return all;
}

}  // namespace cospot
