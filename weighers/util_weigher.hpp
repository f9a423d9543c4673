#pragma once

#include <cstdint>
#include <string_view>

#include "core/ranking/keyed_weigher.hpp"
#include "weighers/policy_variant.hpp"

namespace cospot {

/// The fullness of a host: its vcpus left, those used, or these as a fraction of all.
enum class UtilMeasure : std::uint8_t { kLeft, kUsed, kFraction };

/// Reads the option `measure` of `policy`, which has no others.
[[nodiscard]] UtilMeasure read_util_measure(const PluginOptions& options, std::string_view policy);

/// UTIL: the more fully a host's vcpus are used, the better (best fit on cores). The weight is
/// minus the vcpus left; with the option `measure: used` those used, with `fraction` their fraction
/// of all. On hosts with as many vcpus each all three rank alike. UTIL and sUTIL have no tier;
/// vmaUTIL prefers hosts without a VM.
///
/// Source: CoSpot, section 2 (UTIL) and 4.5 (sUTIL, vmaUTIL).
template <PolicyVariant kVariant>
class UtilWeigher final : public KeyedWeigher<UtilWeigher<kVariant>> {
 public:
  static constexpr Sees kSees = sees_of(kVariant);
  static constexpr bool kDistinctWeights = true;
  static constexpr std::size_t kFewHosts = 2048;
  static constexpr PluginInfo kInfo = info_of(
      kVariant,
      {{{"UTIL", "Fewest vcpus left first, ignoring spots.", "CoSpot, section 2"},
        {"sUTIL", "Fewest vcpus left first, spots included.", "CoSpot, section 4.5"},
        {"vmaUTIL", "Hosts without VMs first, then fewest vcpus left.", "CoSpot, section 4.5"}}});

  explicit UtilWeigher(const PluginOptions& options)
      : measure_(read_util_measure(options, kInfo.name)),
        of_total_(measure_ == UtilMeasure::kLeft ? 0 : 1) {}

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    // Two fractions of up to 2^26 vcpus are 2^-52 apart: divided once, they tie only when equal.
    const double key = host_key(host);
    return measure_ == UtilMeasure::kFraction ? key / host.total().vcpus : key;
  }

  [[nodiscard]] Tier tier() const override {
    return kVariant == PolicyVariant::kVmAvoiding ? Tier::kHoldsNoVm : Tier::kNone;
  }

  [[nodiscard]] ResourceAmount host_key(HostRow host) const noexcept {
    return of_total_ * host.total().vcpus - host.free(kSees).vcpus;
  }
  [[nodiscard]] bool is_key_per_total() const { return measure_ == UtilMeasure::kFraction; }

 private:
  UtilMeasure measure_;
  ResourceAmount of_total_;  // the key is this times the total minus the free vcpus
};

extern template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher>
make_plugin<Weigher, UtilWeigher<PolicyVariant::kVmAvoiding>>(const PluginOptions&);

}  // namespace cospot
