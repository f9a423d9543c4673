#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// As FlatHosts, for some of the hosts of a table: their rooms are kept here, side by side, so that
/// a pass reads no other host. It must be told of every change.
template <class Key>
class CompactHosts {
 public:
  /// `members`: the hosts it may hold, ascending.
  CompactHosts(const HostTable& hosts, std::span<const HostIndex> members)
      : rows_(std::make_shared<const Rows>(hosts, members)),
        keys_(padded(members.size()), kAbsent) {
    for (std::vector<ResourceAmount>& column : free_ignoring_spots_) {
      column.assign(keys_.size(), kNoRoom);
    }
    for (std::vector<ResourceAmount>& column : free_) column.assign(keys_.size(), kNoRoom);
    point_at_columns();
  }
  CompactHosts(const CompactHosts& other)
      : rows_(other.rows_),
        keys_(other.keys_),
        free_ignoring_spots_(other.free_ignoring_spots_),
        free_(other.free_),
        size_(other.size_) {
    point_at_columns();
  }
  CompactHosts& operator=(const CompactHosts&) = delete;
  ~CompactHosts() = default;

  void rebind(const HostTable& /*copy*/) {}

  [[nodiscard]] bool contains(HostIndex host) const { return keys_[row_of(host)] != kAbsent; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void put(HostIndex host, Key key, HostRow row) {
    const std::size_t at = row_of(host);
    size_ += keys_[at] == kAbsent ? 1 : 0;
    keys_[at] = key;
    store(free_ignoring_spots_, at, row.free(Sees::kVms));
    store(free_, at, row.free(Sees::kVmsAndSpots));
  }

  void remove(HostIndex host) {
    keys_[row_of(host)] = kAbsent;
    --size_;
  }

  [[nodiscard]] NearestHosts<Key> nearest(const RoomQuery& query, Key below_this,
                                          Key above_this) const {
    NearestHosts<Key> found = nearest_hosts(columns_, query, below_this, above_this);
    found.below.host = host_at(found.below.host);
    found.above.host = host_at(found.above.host);
    return found;
  }

  [[nodiscard]] HostIndex lowest(const RoomQuery& query, Key first, Key last,
                                 HostIndex from) const {
    return host_at(lowest_host(columns_, query, present(first), last, first_row_from(from)));
  }

  /// The first host of a walk from the end of a plateau, in one pass; see first_from_end().
  [[nodiscard]] KeyedHost<Key> first_from_end(const RoomQuery& query,
                                              const ClampedKeys<Key>& keys) const {
    KeyedHost<Key> found = cospot::first_from_end(columns_, query, keys);
    found.host = host_at(found.host);
    return found;
  }

  [[nodiscard]] std::size_t count(const RoomQuery& query, CountedRange<Key> range) const {
    range.first = present(range.first);
    range.before = first_row_from(range.before);
    return count_hosts(columns_, query, range);
  }

 private:
  /// The rows of the hosts; shared by copies.
  struct Rows {
    Rows(const HostTable& hosts, std::span<const HostIndex> members)
        : host(members.begin(), members.end()), row_of(hosts.size() + 1) {
      auto row = static_cast<std::uint32_t>(host.size());
      for (std::size_t index = row_of.size(); index-- > 0;) {
        if (row > 0 && host[row - 1] == index) --row;
        row_of[index] = row;
      }
    }
    std::vector<HostIndex> host;
    std::vector<std::uint32_t> row_of;  // of each host: its row, or that of the next member
  };
  using Columns = std::array<std::vector<ResourceAmount>, 3>;

  /// No search asks for hosts with the lowest key.
  static constexpr Key kAbsent = std::numeric_limits<Key>::lowest();
  static constexpr ResourceAmount kNoRoom = -1;

  [[nodiscard]] static std::size_t padded(std::size_t rows) {
    return (rows + kRowPadding - 1) / kRowPadding * kRowPadding;
  }
  [[nodiscard]] static Key present(Key first) {
    return first == kAbsent ? next_key_up(first) : first;
  }
  static void store(Columns& columns, std::size_t row, const ResourceVector& amounts) {
    columns[0][row] = amounts.vcpus;
    columns[1][row] = amounts.memory_mb;
    columns[2][row] = amounts.disk_gb;
  }

  [[nodiscard]] std::size_t row_of(HostIndex host) const { return rows_->row_of[host]; }
  [[nodiscard]] HostIndex host_at(HostIndex row) const {
    return row == kNoHost ? kNoHost : rows_->host[row];
  }
  /// The first row whose host is `from` or a higher one.
  [[nodiscard]] HostIndex first_row_from(HostIndex from) const {
    if (from == 0 || from == kNoHost) return from;
    return rows_->row_of[from];
  }
  void point_at_columns() {
    columns_ = {
        .free_ignoring_spots = {free_ignoring_spots_[0].data(), free_ignoring_spots_[1].data(),
                                free_ignoring_spots_[2].data()},
        .free = {free_[0].data(), free_[1].data(), free_[2].data()},
        .key = keys_.data(),
        .rows = rows_->host.size()};
  }

  std::shared_ptr<const Rows> rows_;
  std::vector<Key> keys_;  // by row
  Columns free_ignoring_spots_, free_;
  RoomColumns<Key> columns_;
  std::size_t size_ = 0;
};

}  // namespace cospot
