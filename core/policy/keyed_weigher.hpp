#pragma once

#include <limits>
#include <memory>

#include "core/policy/weigher.hpp"
#include "core/ranking/flat_hosts.hpp"
#include "core/ranking/host_buckets.hpp"
#include "core/ranking/keyed_ranking.hpp"

namespace cospot {

/// A weigher whose weight depends on one number of the host, its key: for every request the weight
/// is highest at a target key and never rises away from it, on either side. Its hosts are then kept
/// in order of that key (core/ranking/keyed_ranking.hpp) and no request looks at all of them.
///
/// `T` has, beside what PerHostWeigher asks for:
///   bool has_key(const HostTable&, Sees feasible) const
///       whether this holds for the feasible hosts of that table
///   double host_key(HostRow) const                the key; it may depend on the host alone
///   double key_factor(const ResourceVector& total) const
///       what to multiply keys by so that their integer parts differ whenever the keys differ and
///       fit 31 bits; 0 when there is no such factor. Smaller keys make searches faster.
///   KeyPreference preference(const Request&, const ResourceVector& total) const
///       which depends on what the request asks for alone, not on who asks or when
/// where `total` is the largest total of each resource over the table.
template <class T>
class KeyedWeigher : public PerHostWeigher<T> {
 public:
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
