#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/ranking/compact_hosts.hpp"
#include "core/ranking/flat_hosts.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// Hosts ordered by key in buckets that know the largest room inside them, so that a search starts
/// at a key, walks outward and skips the buckets in which nothing fits. Hosts inside a bucket have
/// no order: moving a host within it costs a store, and a search in it is one vectorised pass.
///
/// The lowest host index over many buckets (a plateau of equal weights) is found in the order of
/// the table instead, where the first hit is the answer.
///
/// Buckets split the pairs (key, host index) at bounds, so even equal keys spread over buckets.
/// `ByHost` keeps the order of the table: FlatHosts for all of its hosts, CompactHosts for some.
template <class Key, class ByHost = FlatHosts<Key>>
class HostBuckets {
 public:
  static constexpr std::size_t kBucketRows = 256;

  /// Over more buckets than these, the lowest host index is looked for in the order of the table.
  static constexpr std::size_t kFewBuckets = 4;

  /// An empty set of the hosts of a table, or of some of them, ascending: what ByHost is made of.
  template <class... Members>
  requires std::constructible_from<ByHost, const HostTable&, const Members&...>
  explicit HostBuckets(const HostTable& hosts, const Members&... members)
      : HostBuckets(hosts, ByHost(hosts, members...)) {}

  [[nodiscard]] bool contains(HostIndex host) const { return place_of_[host].bucket != kNoBucket; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Adds a host, or takes note of its new key and room.
  void put(HostIndex host, Key key, HostRow row);

  /// Removes a host that is contained.
  void remove(HostIndex host);

  /// As the kernels of the same names (core/ranking/room_kernels.hpp), over all buckets.
  [[nodiscard]] NearestHosts<Key> nearest(const RoomQuery& query, Key below_this,
                                          Key above_this) const;
  [[nodiscard]] HostIndex lowest(const RoomQuery& query, Key first, Key last, HostIndex from) const;

  [[nodiscard]] std::size_t count(const RoomQuery& query, CountedRange<Key> range) const;

  /// Belongs to the copy of a table from now on.
  void rebind(const HostTable& copy) { by_host_.rebind(copy); }

 private:
  /// The entry of a host in a bucket.
  struct Entry {
    Key key{};
    ResourceVector free_ignoring_spots;
    ResourceVector free;
  };
  static constexpr std::uint32_t kNoBucket = UINT32_MAX;

  struct Place {
    std::uint32_t bucket = kNoBucket;
    std::uint32_t row = 0;
  };

  /// A lower bound of the pairs in a bucket.
  struct Bound {
    Key key{};
    HostIndex host = 0;
    [[nodiscard]] bool is_above(Key other_key, HostIndex other_host) const {
      return key > other_key || (key == other_key && host > other_host);
    }
  };

  /// The part of a bucket that a search reads before it opens it.
  struct BucketSummary {
    std::uint32_t bucket = 0;
    std::uint32_t rows = 0;
    Bound bound;
    ResourceVector free_ignoring_spots;  ///< the largest amount of each resource in the bucket
    ResourceVector free;
    HostIndex lowest_host = 0;
  };

  HostBuckets(const HostTable& hosts, ByHost by_host);
  [[nodiscard]] bool may_fit(const BucketSummary& summary, const RoomQuery& query) const;
  [[nodiscard]] RoomColumns<Key> columns(const BucketSummary& summary) const;
  [[nodiscard]] std::size_t position_for(Key key, HostIndex host) const;
  [[nodiscard]] std::uint32_t new_bucket();
  void store(std::size_t slot, HostIndex host, const Entry& entry);
  void copy_row(std::size_t from, std::size_t to);
  void clear_row(std::size_t slot);
  void append(std::size_t position, HostIndex host, const Entry& entry);
  void replace_row(std::size_t position, std::uint32_t row, HostIndex host, const Entry& entry);
  [[nodiscard]] bool holds_a_maximum(const BucketSummary& summary, std::size_t slot) const;
  void erase_row(std::size_t position, std::uint32_t row);
  void refresh_summary(std::size_t position);
  void split(std::size_t position);
  void merge_if_small(std::size_t position);
  void renumber_from(std::size_t position);

  ByHost by_host_;
  bool with_disk_;
  std::size_t size_ = 0;
  // Columns of all buckets: bucket b owns the rows [b * kBucketRows, (b + 1) * kBucketRows).
  std::vector<ResourceAmount> free_ignoring_spots_[3];
  std::vector<ResourceAmount> free_[3];
  std::vector<Key> key_;
  std::vector<HostIndex> host_;
  std::vector<BucketSummary> order_;     // by bound
  std::vector<std::uint32_t> position_;  // of a bucket in order_
  std::vector<std::uint32_t> free_buckets_;
  std::vector<Place> place_of_;  // of each host
};

/// For all hosts of a table.
template <class Key>
using TableBuckets = HostBuckets<Key, FlatHosts<Key>>;

/// For a group of the hosts of a table.
template <class Key>
using GroupBuckets = HostBuckets<Key, CompactHosts<Key>>;

extern template class HostBuckets<std::int32_t>;
extern template class HostBuckets<double>;
extern template class HostBuckets<std::int32_t, CompactHosts<std::int32_t>>;
extern template class HostBuckets<double, CompactHosts<double>>;

}  // namespace cospot
