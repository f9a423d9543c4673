#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/ranking/keyed_weigher.hpp"
#include "weighers/policy_variant.hpp"

namespace cospot {

/// COS: the smaller the angle between what the request asks for and what the host has left (vcpus
/// and memory_mb), the better; hosts of the any-fit tier first.
///
/// The weight is dot / (dot + |cross|) = 1 / (1 + tan angle), which orders as the cosine does and
/// is rounded once, so parallel vectors tie exactly: 1 = parallel, 0 = perpendicular. Raw units, or
/// fractions of the host's totals with the option `capacity_normalised: true`.
///
/// Source: CoSpot, section 2 (COS) and 4.5 (sCOS, vmaCOS).
template <PolicyVariant kVariant>
class CosineWeigher final : public KeyedWeigher<CosineWeigher<kVariant>> {
 public:
  static constexpr Sees kSees = sees_of(kVariant);
  static constexpr PluginInfo kInfo = info_of(
      kVariant, {{{"COS", "Residual most parallel to the request; hosts with VMs first.",
                   "CoSpot, section 2"},
                  {"sCOS", "As COS, residual and idleness include spots.", "CoSpot, section 4.5"},
                  {"vmaCOS", "As sCOS, but hosts without VMs first.", "CoSpot, section 4.5"}}});

  explicit CosineWeigher(const PluginOptions& options)
      : capacity_normalised_(options.read_bool("capacity_normalised", false)) {
    options.reject_unknown();
  }

  [[nodiscard]] double weigh_host(HostRow host, const Request& request) const noexcept {
    const ResourceVector residual = host.free(kSees);
    const std::int64_t vcpus = std::int64_t{request.vcpus} * residual.vcpus;
    const std::int64_t memory = std::int64_t{request.memory_mb} * residual.memory_mb;
    const std::int64_t cross = std::int64_t{request.vcpus} * residual.memory_mb -
                               std::int64_t{request.memory_mb} * residual.vcpus;
    if (capacity_normalised_) return normalised_weight(host.total(), vcpus, memory, cross);
    return parallelism(static_cast<double>(vcpus + memory), static_cast<double>(std::abs(cross)));
  }

  [[nodiscard]] Tier tier() const override { return any_fit_tier_of(kVariant); }

  // The key is the direction of the residual, vcpus / (vcpus + memory_mb): rising with its angle.
  // A host without any residual has no direction, so what the weigher sees must be feasible.
  [[nodiscard]] bool has_key(const HostTable& /*hosts*/, Sees feasible) const {
    return !capacity_normalised_ && (kSees == Sees::kVms || feasible == Sees::kVmsAndSpots);
  }
  [[nodiscard]] double host_key(HostRow host) const noexcept { return direction(host.free(kSees)); }
  [[nodiscard]] double key_factor(const ResourceVector& total) const {
    // Two distinct directions with sums up to s differ by at least 1/s^2; 2^30 parts keep them
    // apart while s^2 < 2^30.
    const double sum = static_cast<double>(total.vcpus) + total.memory_mb;
    constexpr double kParts = 1 << 30;
    return sum * sum < kParts ? kParts : 0;
  }
  [[nodiscard, gnu::always_inline]] KeyPreference preference(
      const Request& request, const ResourceVector& total) const noexcept {
    // Two weights with denominators up to d differ by at least 1/d^2, so a double (53 bits) keeps
    // them apart while d^2 < 2^53.
    const double vcpus = request.vcpus;
    const double memory = request.memory_mb;
    const double largest_denominator = vcpus * total.vcpus + memory * total.memory_mb +
                                       std::max(vcpus * total.memory_mb, memory * total.vcpus);
    // A request for neither has no direction: it weighs 0 on every host.
    return {.target = direction(request.resources()),
            .distinct_weights =
                largest_denominator > 0 && largest_denominator * largest_denominator < 0x1p53};
  }

 private:
  [[nodiscard]] static double direction(const ResourceVector& amounts) noexcept {
    const double sum = static_cast<double>(amounts.vcpus) + amounts.memory_mb;
    return sum > 0 ? amounts.vcpus / sum : 0;
  }

  [[nodiscard]] static double parallelism(double dot, double abs_cross) noexcept {
    const double sum = dot + abs_cross;
    return sum > 0 ? dot / sum : 0;
  }

  /// The same for fractions of the totals, multiplied by (total vcpus x total memory)^2.
  [[nodiscard]] static double normalised_weight(const ResourceVector& total, std::int64_t vcpus,
                                                std::int64_t memory, std::int64_t cross) noexcept {
    const double total_vcpus = total.vcpus;
    const double total_memory = total.memory_mb;
    const double dot = static_cast<double>(vcpus) * total_memory * total_memory +
                       static_cast<double>(memory) * total_vcpus * total_vcpus;
    return parallelism(dot, static_cast<double>(std::abs(cross)) * total_vcpus * total_memory);
  }

  bool capacity_normalised_;
};

extern template std::unique_ptr<Weigher> make_plugin<Weigher, CosineWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher> make_plugin<Weigher, CosineWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
extern template std::unique_ptr<Weigher>
make_plugin<Weigher, CosineWeigher<PolicyVariant::kVmAvoiding>>(const PluginOptions&);

}  // namespace cospot
