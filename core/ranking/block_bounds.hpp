#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// What no host of a block exceeds, block by block, in columns that the room kernels search as if a
/// block were a host. A change raises a bound at once; it is lowered only when a search has looked
/// into the block for nothing, because most blocks change far more often than that.
template <class Key>
class BlockBounds {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Adds a block without hosts at a position, before those that lie there.
  void insert(std::size_t position) {
    for_each_column([&](auto& column, auto value) {
      if (size_ == column.size()) column.resize(size_ + kRowPadding, value);
      const auto at = column.begin() + static_cast<std::ptrdiff_t>(position);
      std::move_backward(at, column.begin() + static_cast<std::ptrdiff_t>(size_),
                         column.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
      *at = value;
    });
    ++size_;
  }

  void erase(std::size_t position) {
    --size_;
    for_each_column([&](auto& column, auto value) {
      const auto at = column.begin() + static_cast<std::ptrdiff_t>(position);
      std::move(at + 1, column.begin() + static_cast<std::ptrdiff_t>(size_) + 1, at);
      column[size_] = value;
    });
  }

  /// A host of the block has this much room from now on, and may have had more.
  void raise(std::size_t position, const ResourceVector& free_ignoring_spots,
             const ResourceVector& free) {
    raise(free_ignoring_spots_, position, free_ignoring_spots);
    raise(free_, position, free);
    is_loose_[position] = 1;
  }
  /// A host has left the block.
  void loosen(std::size_t position) { is_loose_[position] = 1; }

  /// Tells whether the bounds may be higher than need be.
  [[nodiscard]] bool is_loose(std::size_t position) const { return is_loose_[position] != 0; }

  /// Makes the bounds what the hosts of the block need.
  void tighten(std::size_t position, const LargestRooms& largest) {
    set(free_ignoring_spots_, position, largest.free_ignoring_spots);
    set(free_, position, largest.free);
    is_loose_[position] = 0;
  }

  /// The first block from a position on, or the last one before it, in which a host may fit;
  /// kNoBlock when there is none.
  static constexpr std::size_t kNoBlock = SIZE_MAX;
  [[nodiscard]] std::size_t first_from(std::size_t position, const RoomQuery& query) const {
    return position_of(
        lowest_host(columns(), bounds_query(query), std::numeric_limits<Key>::lowest(),
                    std::numeric_limits<Key>::max(), static_cast<HostIndex>(position)));
  }
  [[nodiscard]] std::size_t last_before(std::size_t position, const RoomQuery& query) const {
    return position_of(
        last_row_before(columns(), bounds_query(query), static_cast<HostIndex>(position)));
  }

 private:
  using Column = std::vector<ResourceAmount>;
  static constexpr ResourceAmount kNoRoom = -1;

  template <class Do>
  void for_each_column(const Do& change) {
    for (Column& column : free_ignoring_spots_) change(column, kNoRoom);
    for (Column& column : free_) change(column, kNoRoom);
    change(key_, Key{});
    change(is_loose_, std::uint8_t{0});
  }
  static void raise(Column (&columns)[3], std::size_t position, const ResourceVector& room) {
    columns[0][position] = std::max(columns[0][position], room.vcpus);
    columns[1][position] = std::max(columns[1][position], room.memory_mb);
    columns[2][position] = std::max(columns[2][position], room.disk_gb);
  }
  static void set(Column (&columns)[3], std::size_t position, const ResourceVector& room) {
    columns[0][position] = room.vcpus;
    columns[1][position] = room.memory_mb;
    columns[2][position] = room.disk_gb;
  }

  [[nodiscard]] RoomColumns<Key> columns() const {
    RoomColumns<Key> columns;
    for (int resource = 0; resource < 3; ++resource) {
      columns.free_ignoring_spots[resource] = free_ignoring_spots_[resource].data();
      columns.free[resource] = free_[resource].data();
    }
    columns.key = key_.data();
    columns.rows = size_;
    return columns;
  }
  /// Bounds tell where there is room, not where there is none beside spots.
  [[nodiscard]] static RoomQuery bounds_query(RoomQuery query) {
    if (query.fit == Fit::kOnlyWithEvictions) query.fit = Fit::kBesideVms;
    return query;
  }
  [[nodiscard]] static std::size_t position_of(HostIndex row) {
    return row == kNoHost ? kNoBlock : row;
  }

  std::size_t size_ = 0;
  Column free_ignoring_spots_[3];
  Column free_[3];
  std::vector<Key> key_;
  std::vector<std::uint8_t> is_loose_;
};

}  // namespace cospot
