#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/ranking/first_rows.hpp"
#include "core/ranking/host_blocks.hpp"
#include "core/ranking/room_kernels.hpp"
#include "core/ranking/room_store.hpp"

namespace cospot {

/// The hosts of a table, or some of them, with a key each, to be searched by key and room. They lie
/// in the order of the table; a search of few is one vectorised pass, and a change is a store. Many
/// are kept in blocks besides (HostBlocks), so that a search skips most of them.
template <class Key>
class KeyedHosts {
 public:
  /// May hold all hosts of a table and reads their rooms from it. It must be told of every change
  /// that a search sees. Up to `few_hosts` a pass over all is faster than keeping blocks.
  KeyedHosts(const HostTable& hosts, std::size_t few_hosts)
      : KeyedHosts(hosts, hosts.size(), few_hosts, nullptr) {
    rebind(hosts);
  }

  /// May hold `members`, ascending. Their rooms are kept here, side by side, so that a pass reads
  /// no other host.
  KeyedHosts(const HostTable& hosts, std::size_t few_hosts, std::span<const HostIndex> members)
      : KeyedHosts(hosts, members.size(), few_hosts,
                   std::make_shared<const Members>(hosts, members)) {
    rooms_.resize(keys_.size());
    columns_ = rooms_.columns(0, members_->host.size(), keys_.data());
  }
  KeyedHosts(const KeyedHosts& other)
      : members_(other.members_),
        keys_(other.keys_),
        rooms_(other.rooms_),
        columns_(other.columns_),
        size_(other.size_),
        first_rows_(other.first_rows_),
        blocks_(other.blocks_) {
    columns_.key = keys_.data();
    if (members_ != nullptr) columns_ = rooms_.columns(0, columns_.rows, keys_.data());
  }
  KeyedHosts& operator=(const KeyedHosts&) = delete;
  ~KeyedHosts() = default;

  /// Belongs to the copy of a table from now on.
  void rebind(const HostTable& copy) {
    if (members_ != nullptr) return;
    const HostView view = copy.view();
    columns_ = {
        .free_ignoring_spots = {view.vcpus_free_ignoring_spots.data(),
                                view.memory_mb_free_ignoring_spots.data(),
                                view.disk_gb_free_ignoring_spots.data()},
        .free = {view.vcpus_free.data(), view.memory_mb_free.data(), view.disk_gb_free.data()},
        .key = keys_.data(),
        .rows = view.size()};
  }

  [[nodiscard]] bool contains(HostIndex host) const { return keys_[row_of(host)] != kAbsent; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Adds a host, or takes note of its new key and room.
  void put(HostIndex host, Key key, HostRow now) {
    const HostIndex row = row_of(host);
    size_ += keys_[row] == kAbsent ? 1 : 0;
    keys_[row] = key;
    if (members_ != nullptr) {
      rooms_.set(row, now.free(Sees::kVms), now.free(Sees::kVmsAndSpots));
    }
    first_rows_.changed(row);
    if (blocks_) blocks_->put(row, key, now.free(Sees::kVms), now.free(Sees::kVmsAndSpots));
  }

  /// Removes a host that is contained.
  void remove(HostIndex host) {
    const HostIndex row = row_of(host);
    keys_[row] = kAbsent;
    --size_;
    if (blocks_) blocks_->remove(row);
  }

  /// As the kernels of the same names (core/ranking/room_kernels.hpp).
  [[nodiscard]] NearestHosts<Key> nearest(const RoomQuery& query, Key below_this,
                                          Key above_this) const {
    NearestHosts<Key> found = blocks_ ? blocks_->nearest(columns_, query, below_this, above_this)
                                      : nearest_hosts(columns_, query, below_this, above_this);
    found.below.host = host_at(found.below.host);
    found.above.host = host_at(found.above.host);
    return found;
  }
  [[nodiscard]] HostIndex lowest(const RoomQuery& query, Key first, Key last,
                                 HostIndex from) const {
    const HostIndex from_row = first_row_from(from);
    return host_at(blocks_ ? blocks_->lowest(columns_, query, present(first), last, from_row)
                           : lowest_host(columns_, query, present(first), last, from_row));
  }
  [[nodiscard]] std::size_t count(const RoomQuery& query, CountedRange<Key> range) const {
    range.first = present(range.first);
    range.before = first_row_from(range.before);
    return blocks_ ? blocks_->count(columns_, query, range) : count_hosts(columns_, query, range);
  }

  /// The first host of a walk from the end of a plateau, in one pass; see the kernel. Of so few
  /// hosts that it is quicker than first_on_plateau().
  [[nodiscard]] bool takes_one_pass() const { return columns_.rows <= kRowsOfOnePass; }
  [[nodiscard]] KeyedHost<Key> first_from_end(const RoomQuery& query,
                                              const ClampedKeys<Key>& keys) const {
    KeyedHost<Key> found = cospot::first_from_end(columns_, query, keys);
    found.host = host_at(found.host);
    return found;
  }

  /// lowest() from the first host on, of ranges that are asked for again and again.
  [[nodiscard]] HostIndex first_on_plateau(const RoomQuery& query, Key first, Key last) const {
    if (takes_one_pass()) return lowest(query, first, last, 0);
    if (blocks_) {
      const auto found = blocks_->lowest_in_few(query, present(first), last, 0);
      if (found) return host_at(*found);
    }
    return host_at(first_rows_.lowest(columns_, query, present(first), last));
  }

 private:
  /// The rows of the hosts; shared by copies.
  struct Members {
    Members(const HostTable& hosts, std::span<const HostIndex> members)
        : host(members.begin(), members.end()), row_of(hosts.size() + 1) {
      auto row = static_cast<HostIndex>(host.size());
      for (std::size_t index = row_of.size(); index-- > 0;) {
        if (row > 0 && host[row - 1] == index) --row;
        row_of[index] = row;
      }
    }
    std::vector<HostIndex> host;
    std::vector<HostIndex> row_of;  // of each host: its row, or that of the next member
  };
  static constexpr std::size_t kRowsOfOnePass = 1024;
  /// No search asks for hosts with the lowest key.
  static constexpr Key kAbsent = std::numeric_limits<Key>::lowest();

  KeyedHosts(const HostTable& hosts, std::size_t rows, std::size_t few_hosts,
             std::shared_ptr<const Members> members)
      : members_(std::move(members)),
        keys_((rows + kRowPadding - 1) / kRowPadding * kRowPadding, kAbsent),
        rooms_(/*with_disk=*/true) {
    if (rows > few_hosts) blocks_.emplace(rows, hosts.largest_total().disk_gb > 0);
  }

  [[nodiscard]] static Key present(Key first) {
    return first == kAbsent ? next_key_up(first) : first;
  }
  [[nodiscard]] HostIndex row_of(HostIndex host) const {
    return members_ == nullptr ? host : members_->row_of[host];
  }
  [[nodiscard]] HostIndex host_at(HostIndex row) const {
    return members_ == nullptr || row == kNoHost ? row : members_->host[row];
  }
  /// The first row whose host is `from` or a higher one.
  [[nodiscard]] HostIndex first_row_from(HostIndex from) const {
    return members_ == nullptr || from == kNoHost ? from : members_->row_of[from];
  }

  std::shared_ptr<const Members> members_;  // nullptr: row r is host r
  std::vector<Key> keys_;                   // by row
  RoomStore rooms_;                         // by row, of members
  RoomColumns<Key> columns_;
  std::size_t size_ = 0;
  mutable FirstRows<Key> first_rows_;
  std::optional<HostBlocks<Key>> blocks_;  // of many hosts
};

}  // namespace cospot
