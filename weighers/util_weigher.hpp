#pragma once

#include "core/ranking/keyed_weigher.hpp"
#include "weighers/policy_variant.hpp"

namespace cospot {

/// UTIL: the more vcpus of a host are used, the better (best fit on cores). The weight is the
/// number of used vcpus. UTIL and sUTIL have no tier; vmaUTIL prefers hosts without a VM.
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
      {{{"UTIL", "Most used vcpus first, ignoring spots.", "CoSpot, section 2"},
        {"sUTIL", "Most used vcpus first, spots included.", "CoSpot, section 4.5"},
        {"vmaUTIL", "Hosts without VMs first, then most used vcpus.", "CoSpot, section 4.5"}}});

  explicit UtilWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    return host_key(host);
  }

  [[nodiscard]] Tier tier() const override {
    return kVariant == PolicyVariant::kVmAvoiding ? Tier::kHoldsNoVm : Tier::kNone;
  }

  [[nodiscard]] ResourceAmount host_key(HostRow host) const noexcept {
    return host.used(kSees).vcpus;
  }
};

extern template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher>
make_plugin<Weigher, UtilWeigher<PolicyVariant::kVmAvoiding>>(const PluginOptions&);

}  // namespace cospot
