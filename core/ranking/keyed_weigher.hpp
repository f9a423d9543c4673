#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/policy/weigher.hpp"
#include "core/ranking/grouped_ranking.hpp"
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
///   static constexpr bool kKeyPerTotal, bool is_key_per_total() const if an option decides
///       true: the key says how hosts stand to each other only where they have the same totals; of
///       several kinds of hosts each is then kept in an order of its own
///   static constexpr std::size_t kFewHosts
///       up to so many hosts a search passes over all; more are kept in blocks besides, of which
///       it skips most (tests/bench/curve.py says which is faster)
///   bool has_key(const HostTable&, Sees feasible) const
///       whether all this holds for the feasible hosts of that table
///   double key_factor(const ResourceVector& total) const
///       what to multiply keys by so that their integer parts differ whenever the keys differ and
///       fit 31 bits; 0 when there is no such factor
///   KeyPreference preference(const Request&, const ResourceVector& total) const
///       for a weight that is highest elsewhere than at the highest key; it depends on what the
///       request asks for alone, not on who asks or when
///   double highest_weight(const Request&, const ResourceVector& total, KeyRange) const
///       what the weight of no host with such a key exceeds, so that of several orders those with
///       worse hosts need not be looked at
/// where `total` is the largest total of each resource over the hosts that are kept in one order.
template <class T>
class KeyedWeigher : public PerHostWeigher<T> {
 public:
  static constexpr Sees kSees = Sees::kVmsAndSpots;
  static constexpr bool kDistinctWeights = false;
  static constexpr bool kKeyPerTotal = false;
  static constexpr std::size_t kFewHosts = 1024;

  [[nodiscard]] bool has_key(const HostTable& /*hosts*/, Sees /*feasible*/) const { return true; }
  [[nodiscard]] bool is_key_per_total() const { return T::kKeyPerTotal; }
  [[nodiscard]] double key_factor(const ResourceVector& /*total*/) const {
    return has_integer_key() ? 1 : 0;
  }
  [[nodiscard]] KeyPreference preference(const Request& /*request*/,
                                         const ResourceVector& /*total*/) const noexcept {
    return {.target = std::numeric_limits<double>::infinity(),
            .distinct_weights = T::kDistinctWeights};
  }
  [[nodiscard]] double highest_weight(const Request& /*request*/, const ResourceVector& /*total*/,
                                      KeyRange /*keys*/) const noexcept {
    return std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] std::unique_ptr<HostRanking> make_ranking(const HostTable& hosts, Sees feasible,
                                                          bool prefer_spot_free) const override {
    const T& self = static_cast<const T&>(*this);
    if (!self.has_key(hosts, feasible)) return nullptr;
    if (self.is_key_per_total() && !hosts.is_uniform()) {
      return make_grouped(hosts, {.total = true}, feasible, prefer_spot_free);
    }
    const double factor = self.key_factor(hosts.largest_total());
    if constexpr (!has_integer_key()) {
      using Doubles = KeyedRanking<T, double>;
      if (!(factor > 0)) {
        return std::make_unique<Doubles>(self, hosts, feasible, prefer_spot_free, 1.0);
      }
    }
    using Integers = KeyedRanking<T, std::int32_t>;
    return std::make_unique<Integers>(self, hosts, feasible, prefer_spot_free, factor);
  }

  [[nodiscard]] std::unique_ptr<PlaceRanking> make_place_ranking(
      const HostTable& hosts, Sees feasible, bool prefer_spot_free) const override {
    const T& self = static_cast<const T&>(*this);
    if (!self.has_key(hosts, feasible)) return nullptr;
    const bool by_total = self.is_key_per_total() && !hosts.is_uniform();
    return make_grouped(hosts, {.total = by_total, .place = true}, feasible, prefer_spot_free);
  }

 private:
  /// True if keys are integers by themselves: no ranking of doubles is compiled then.
  [[nodiscard]] static constexpr bool has_integer_key() {
    using KeyOfHost = decltype(std::declval<const T&>().host_key(std::declval<HostRow>()));
    return std::is_same_v<KeyOfHost, std::int32_t>;
  }

  /// With more groups than these a scan of all hosts is as good.
  static constexpr std::size_t kMostGroups = 256;

  [[nodiscard]] std::unique_ptr<PlaceRanking> make_grouped(const HostTable& hosts, GroupedBy by,
                                                           Sees feasible,
                                                           bool prefer_spot_free) const {
    const std::vector<HostGroup> groups = group_hosts(hosts, by);
    if (groups.size() > kMostGroups) return nullptr;
    if constexpr (!has_integer_key()) {
      const T& self = static_cast<const T&>(*this);
      const bool are_integers = std::ranges::all_of(
          groups, [&](const HostGroup& group) { return self.key_factor(group.total) > 0; });
      if (!are_integers) return make_groups<double>(hosts, groups, feasible, prefer_spot_free, 1.0);
    }
    return make_groups<std::int32_t>(hosts, groups, feasible, prefer_spot_free, 0);
  }

  template <class Key>
  [[nodiscard]] std::unique_ptr<PlaceRanking> make_groups(const HostTable& hosts,
                                                          const std::vector<HostGroup>& groups,
                                                          Sees feasible, bool prefer_spot_free,
                                                          double factor) const {
    const T& self = static_cast<const T&>(*this);
    return std::make_unique<GroupedRanking<T, Key>>(self, hosts, groups, feasible, prefer_spot_free,
                                                    factor);
  }
};

}  // namespace cospot
