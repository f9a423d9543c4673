#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/ranking/room_kernels.hpp"
#include "core/ranking/room_store.hpp"

namespace cospot {

/// The free amounts that no host of a block exceeds, block by block, as if a block were a host. A
/// change raises a bound at once; it is lowered only when a search has looked into the block for
/// nothing, because most blocks change far more often than that.
class BlockBounds {
 public:
  static constexpr std::size_t kNoBlock = SIZE_MAX;

  /// Adds a block without hosts at a position, before those that lie there.
  void insert(std::size_t position) {
    if (is_loose_.size() == rooms_.size()) {
      rooms_.resize(rooms_.size() + kRowPadding);
      keys_.resize(rooms_.size());
    }
    rooms_.make_gap(position, is_loose_.size());
    is_loose_.insert(is_loose_.begin() + static_cast<std::ptrdiff_t>(position), 0);
  }
  void erase(std::size_t position) {
    rooms_.close_gap(position, is_loose_.size());
    is_loose_.erase(is_loose_.begin() + static_cast<std::ptrdiff_t>(position));
  }

  /// A host of the block has this much room from now on, and may have had more.
  void raise(std::size_t position, const ResourceVector& free_ignoring_spots,
             const ResourceVector& free) {
    rooms_.raise(position, free_ignoring_spots, free);
    loosen(position);
  }
  /// A host has left the block.
  void loosen(std::size_t position) { is_loose_[position] = 1; }

  /// Tells whether the bounds may be higher than need be.
  [[nodiscard]] bool is_loose(std::size_t position) const { return is_loose_[position] != 0; }

  /// Makes the bounds what the hosts of the block need.
  void tighten(std::size_t position, const LargestRooms& largest) {
    rooms_.set(position, largest.free_ignoring_spots, largest.free);
    is_loose_[position] = 0;
  }

  /// The first block from a position on, or the last one before it, in which a host may fit;
  /// kNoBlock when there is none.
  [[nodiscard]] std::size_t first_from(std::size_t position, const RoomQuery& query) const {
    constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max();
    return position_of(
        lowest_host(columns(), bounds_query(query), -kAny, kAny, static_cast<HostIndex>(position)));
  }
  [[nodiscard]] std::size_t last_before(std::size_t position, const RoomQuery& query) const {
    return position_of(
        last_row_before(columns(), bounds_query(query), static_cast<HostIndex>(position)));
  }

 private:
  [[nodiscard]] RoomColumns<std::int32_t> columns() const {
    return rooms_.columns(0, is_loose_.size(), keys_.data());
  }
  /// Bounds tell where there is room, not where there is none beside spots.
  [[nodiscard]] static RoomQuery bounds_query(RoomQuery query) {
    if (query.fit == Fit::kOnlyWithEvictions) query.fit = Fit::kBesideVms;
    return query;
  }
  [[nodiscard]] static std::size_t position_of(HostIndex row) {
    return row == kNoHost ? kNoBlock : row;
  }

  RoomStore rooms_{/*with_disk=*/true};  // also where no host has any: a request may ask for it
  std::vector<std::int32_t> keys_;       // for the kernels only: all the same
  std::vector<std::uint8_t> is_loose_;
};

}  // namespace cospot
