#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/ranking/keyed_weigher.hpp"
#include "weighers/policy_variant.hpp"

namespace cospot {

/// DPD (delta perpendicular distance): the more a placement brings the host's use of vcpus and
/// memory_mb into balance, the better; hosts of the any-fit tier first.
///
/// With the used fractions u of vcpus and memory, the weight is |u_vcpus - u_memory| before minus
/// after placing: the drop in distance to the diagonal, from -1 to 1. Both distances are exact
/// integers over (total vcpus x total memory_mb), divided once.
///
/// Source: CoSpot, section 2 (DPD, after Ke et al., Fundy) and 4.5 (sDPD, vmaDPD).
template <PolicyVariant kVariant>
class DpdWeigher final : public KeyedWeigher<DpdWeigher<kVariant>> {
 public:
  static constexpr Sees kSees = sees_of(kVariant);
  static constexpr bool kKeyPerTotal = true;
  static constexpr std::size_t kFewHosts = 8192;
  static constexpr PluginInfo kInfo = info_of(
      kVariant, {{{"DPD", "Placement balances vcpus and memory most; hosts with VMs first.",
                   "CoSpot, section 2"},
                  {"sDPD", "As DPD, use and idleness include spots.", "CoSpot, section 4.5"},
                  {"vmaDPD", "As sDPD, but hosts without VMs first.", "CoSpot, section 4.5"}}});

  explicit DpdWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& request) const noexcept {
    const ResourceVector total = host.total();
    const std::int64_t before = imbalance(host.used(kSees), total);
    const std::int64_t after = before + imbalance(request.resources(), total);
    const double diagonal = static_cast<double>(total.vcpus) * total.memory_mb;
    return static_cast<double>(std::abs(before) - std::abs(after)) / diagonal;
  }

  [[nodiscard]] Tier tier() const override { return any_fit_tier_of(kVariant); }

  // The key is the imbalance itself, in parts of the host's total. For a request that shifts it by
  // s > 0, the weight falls from s at keys up to -s to -s at keys from 0, and is flat outside; for
  // s < 0 it mirrors that.
  [[nodiscard]] bool has_key(const HostTable& hosts, Sees /*feasible*/) const {
    const ResourceVector& total = hosts.largest_total();
    return static_cast<double>(total.vcpus) * total.memory_mb < 0x1p50;
  }
  // Asked at every change of a host, by several rankings: the compiler would call it out of line.
  [[nodiscard, gnu::always_inline]] double host_key(HostRow host) const noexcept {
    return static_cast<double>(imbalance(host.used(kSees), host.total()));
  }
  [[nodiscard]] double key_factor(const ResourceVector& total) const {
    return static_cast<double>(total.vcpus) * total.memory_mb < 0x1p30 ? 1 : 0;
  }
  [[nodiscard]] KeyPreference preference(const Request& request,
                                         const ResourceVector& total) const noexcept {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto shift = static_cast<double>(imbalance(request.resources(), total));
    return {.target = shift > 0 ? -kInfinity : kInfinity,
            .low = std::min(-shift, 0.0),
            .high = std::max(-shift, 0.0)};
  }
  // The weight of the key that is nearest to the target: exact, as it is divided once.
  [[nodiscard]] double highest_weight(const Request& request, const ResourceVector& total,
                                      KeyRange keys) const noexcept {
    const auto shift = static_cast<double>(imbalance(request.resources(), total));
    const double before = shift > 0 ? keys.lowest : keys.highest;
    const double diagonal = static_cast<double>(total.vcpus) * total.memory_mb;
    return (std::abs(before) - std::abs(before + shift)) / diagonal;
  }

 private:
  /// (u_vcpus - u_memory) x total vcpus x total memory.
  [[nodiscard]] static std::int64_t imbalance(const ResourceVector& used,
                                              const ResourceVector& total) noexcept {
    return std::int64_t{used.vcpus} * total.memory_mb - std::int64_t{used.memory_mb} * total.vcpus;
  }
};

extern template std::unique_ptr<Weigher> make_plugin<Weigher, DpdWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher> make_plugin<Weigher, DpdWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher>
make_plugin<Weigher, DpdWeigher<PolicyVariant::kVmAvoiding>>(const PluginOptions&);

}  // namespace cospot
