#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/policy/weigher.hpp"
#include "core/ranking/flat_hosts.hpp"
#include "core/ranking/host_buckets.hpp"
#include "core/ranking/keyed_ranking.hpp"

namespace cospot {

/// A weigher whose weight depends on one number of the host, its key: for every request the weight
/// is highest at a target key and never rises away from it, on either side. Its hosts are then kept
/// in order of that key (core/ranking/keyed_ranking.hpp) and no request looks at all of them.
///
/// `T` must have, beside what every weigher has:
///   double weigh_host(HostRow, const Request&) const   as PerHostWeigher asks for
///   KEY host_key(HostRow) const    the key, a double or, which makes searches faster, a
///                                  std::int32_t; it may depend on the host alone
/// That is all when the weight never falls as the key rises. Otherwise, or for speed, `T` says
/// more:
///   static constexpr Sees kSees
///       kVms: key, weight and tier look at no spot, so that none need be reported
///   static constexpr bool kDistinctWeights
///       true: a higher key always has a higher weight (not only one as high), so that the ranking
///       need not compare the weights of neighbours
///   bool has_key(const HostTable&, Sees feasible) const
///       whether all this holds for the feasible hosts of that table
///   double key_factor(const ResourceVector& total) const
///       what to multiply keys by so that their integer parts differ whenever the keys differ and
///       fit 31 bits; 0 when there is no such factor
///   KeyPreference preference(const Request&, const ResourceVector& total) const
///       for a weight that is highest elsewhere than at the highest key; it depends on what the
///       request asks for alone, not on who asks or when
/// where `total` is the largest total of each resource over the table.
template <class T>
class KeyedWeigher : public PerHostWeigher<T> {
 public:
  static constexpr Sees kSees = Sees::kVmsAndSpots;
  static constexpr bool kDistinctWeights = false;

  [[nodiscard]] bool has_key(const HostTable& /*hosts*/, Sees /*feasible*/) const { return true; }
  [[nodiscard]] double key_factor(const ResourceVector& /*total*/) const {
    using KeyOfHost = decltype(std::declval<const T&>().host_key(std::declval<HostRow>()));
    return std::is_same_v<KeyOfHost, std::int32_t> ? 1 : 0;
  }
  [[nodiscard]] KeyPreference preference(const Request& /*request*/,
                                         const ResourceVector& /*total*/) const noexcept {
    return {.target = std::numeric_limits<double>::infinity(),
            .distinct_weights = T::kDistinctWeights};
  }

  [[nodiscard]] std::unique_ptr<HostRanking> make_ranking(const HostTable& hosts, Sees feasible,
                                                          bool prefer_spot_free) const override {
    const T& self = static_cast<const T&>(*this);
    if (!self.has_key(hosts, feasible)) return nullptr;
    const double factor = self.key_factor(hosts.largest_total());
    if (factor > 0) return make_keyed<std::int32_t>(hosts, feasible, prefer_spot_free, factor);
    return make_keyed<double>(hosts, feasible, prefer_spot_free, 1.0);
  }

 private:
  template <class Key>
  [[nodiscard]] std::unique_ptr<HostRanking> make_keyed(const HostTable& hosts, Sees feasible,
                                                        bool prefer_spot_free,
                                                        double factor) const {
    const T& self = static_cast<const T&>(*this);
    if (hosts.size() <= FlatHosts<Key>::kMaxHosts) {
      return std::make_unique<KeyedRanking<T, Key, FlatHosts>>(self, hosts, feasible,
                                                               prefer_spot_free, factor);
    }
    return std::make_unique<KeyedRanking<T, Key, HostBuckets>>(self, hosts, feasible,
                                                               prefer_spot_free, factor);
  }
};

}  // namespace cospot
