#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/policy/host_ranking.hpp"
#include "core/policy/place_ranking.hpp"

namespace cospot {

/// Hosts of a weigher's tier rank before all others, whatever the weights say.
enum class Tier : std::uint8_t {
  kNone,           ///< no tier: only the weight counts
  kHoldsVm,        ///< hosts with at least one VM first (any-fit, ignoring spots)
  kHoldsInstance,  ///< hosts with at least one VM or spot first (any-fit)
  kHoldsNoVm,      ///< hosts without a VM first (VM-avoiding)
};

[[nodiscard]] inline bool is_in_tier(Tier tier, HostRow host) {
  switch (tier) {
    case Tier::kNone:
      return true;
    case Tier::kHoldsVm:
      return host.num_vms() > 0;
    case Tier::kHoldsInstance:
      return host.num_vms() > 0 || host.num_spots() > 0;
    case Tier::kHoldsNoVm:
      return host.num_vms() == 0;
  }
  return true;
}

/// Says how suitable each candidate host is; the higher weight wins. Const, no state between calls.
class Weigher {
 public:
  virtual ~Weigher() = default;

  /// Writes the raw weight of `candidates[i]` for `request` to `weights[i]`: finite, neither
  /// normalised nor multiplied (the chain does both). The spans have one length.
  virtual void weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                         const Request& request, std::span<double> weights) const = 0;

  [[nodiscard]] virtual Tier tier() const { return Tier::kNone; }

  /// Bounds for Nova's normalisation, nova/weights.py BaseWeigher.minval and maxval; without them
  /// the batch's own extremes count.
  [[nodiscard]] virtual std::optional<double> minval() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<double> maxval() const { return std::nullopt; }

  /// The factor for the normalised weights if the user names no multiplier.
  [[nodiscard]] virtual double default_multiplier() const { return 1.0; }

  /// A ranking of `hosts` by this weigher alone that is kept in order between requests (see
  /// core/ranking/keyed_weigher.hpp), or nullptr when this weigher has none for that table: then
  /// the chain scans all hosts. `feasible` states next to which instances a request must fit.
  [[nodiscard]] virtual std::unique_ptr<HostRanking> make_ranking(const HostTable& /*hosts*/,
                                                                  Sees /*feasible*/,
                                                                  bool /*prefer_spot_free*/) const {
    return nullptr;
  }

  /// The same, of which a walk may leave out hosts by their place.
  [[nodiscard]] virtual std::unique_ptr<PlaceRanking> make_place_ranking(
      const HostTable& /*hosts*/, Sees /*feasible*/, bool /*prefer_spot_free*/) const {
    return nullptr;
  }
};

/// Lets a plugin write Nova's one-host method, `double weigh_host(HostRow, const Request&) const`,
/// and inlines it into the loop over a batch.
template <class T>
class PerHostWeigher : public Weigher {
 public:
  void weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                 const Request& request, std::span<double> weights) const override {
    const T& self = static_cast<const T&>(*this);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      weights[i] = self.weigh_host(hosts[candidates[i]], request);
    }
  }
};

}  // namespace cospot
