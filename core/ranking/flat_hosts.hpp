#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// Hosts with a key each in the order of the table itself: every search is one vectorised pass over
/// all of them, and a change costs one store. Best for small datacenters; the rooms are read from
/// the table, so it must be told only of new keys. Same interface as HostBuckets.
template <class Key>
class FlatHosts {
 public:
  /// Up to this many hosts a pass over all is faster than keeping buckets (see
  /// tests/bench/bench_ranking.cpp).
  static constexpr std::size_t kMaxHosts = 1024;

  explicit FlatHosts(const HostTable& hosts)
      : keys_((hosts.size() + kRowPadding - 1) / kRowPadding * kRowPadding, kAbsent) {
    rebind(hosts);
  }
  FlatHosts(const FlatHosts& other)
      : keys_(other.keys_), columns_(other.columns_), size_(other.size_) {
    columns_.key = keys_.data();
  }
  FlatHosts& operator=(const FlatHosts&) = delete;
  ~FlatHosts() = default;

  void rebind(const HostTable& hosts) {
    const HostView view = hosts.view();
    columns_ = {
        .free_ignoring_spots = {view.vcpus_free_ignoring_spots.data(),
                                view.memory_mb_free_ignoring_spots.data(),
                                view.disk_gb_free_ignoring_spots.data()},
        .free = {view.vcpus_free.data(), view.memory_mb_free.data(), view.disk_gb_free.data()},
        .key = keys_.data(),
        .rows = view.size()};
  }

  [[nodiscard]] bool contains(HostIndex host) const { return keys_[host] != kAbsent; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void put(HostIndex host, Key key, HostRow /*row*/) {
    size_ += contains(host) ? 0 : 1;
    keys_[host] = key;
  }

  void remove(HostIndex host) {
    keys_[host] = kAbsent;
    --size_;
  }

  [[nodiscard]] NearestHosts<Key> nearest(const RoomQuery& query, Key below_this,
                                          Key above_this) const {
    return nearest_hosts(columns_, query, below_this, above_this);
  }

  [[nodiscard]] HostIndex lowest(const RoomQuery& query, Key first, Key last,
                                 HostIndex from) const {
    return lowest_host(columns_, query, present(first), last, from);
  }

  [[nodiscard]] std::size_t count(const RoomQuery& query, CountedRange<Key> range) const {
    range.first = present(range.first);
    return count_hosts(columns_, query, range);
  }

 private:
  /// No search asks for hosts with the lowest key.
  static constexpr Key kAbsent = std::numeric_limits<Key>::lowest();

  [[nodiscard]] static Key present(Key first) {
    return first == kAbsent ? next_key_up(first) : first;
  }

  std::vector<Key> keys_;  // by host index
  RoomColumns<Key> columns_;
  std::size_t size_ = 0;
};

}  // namespace cospot
