#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/ranking/block_bounds.hpp"
#include "core/ranking/room_kernels.hpp"
#include "core/ranking/room_store.hpp"

namespace cospot {

/// Hosts in the order of their keys, in blocks with bounds of the room inside them: a search for
/// the nearest key goes outward, skips the blocks in which nothing fits, and passes over one of the
/// others. The lowest of many hosts with one weight is found in the order of the rows instead,
/// where the first hit is the answer.
///
/// Blocks split the pairs (key, row) at bounds, so even equal keys spread over several. Rows inside
/// a block have no order: a host moves within it by a store.
template <class Key>
class HostBlocks {
 public:
  HostBlocks(std::size_t rows, bool with_disk);

  /// Adds a row, or takes note of its new key and room.
  void put(HostIndex row, Key key, const ResourceVector& free_ignoring_spots,
           const ResourceVector& free);
  /// Removes a row that is contained.
  void remove(HostIndex row);

  /// As the kernels of the same names; `by_row` are the columns of all rows.
  [[nodiscard]] NearestHosts<Key> nearest(const RoomColumns<Key>& by_row, const RoomQuery& query,
                                          Key below_this, Key above_this) const;
  /// As lowest(); nothing where more than a few blocks may have several such keys, which is then
  /// better searched by row.
  [[nodiscard]] std::optional<HostIndex> lowest_in_few(const RoomQuery& query, Key first, Key last,
                                                       HostIndex from) const;
  [[nodiscard]] HostIndex lowest(const RoomColumns<Key>& by_row, const RoomQuery& query, Key first,
                                 Key last, HostIndex from) const;
  [[nodiscard]] std::size_t count(const RoomColumns<Key>& by_row, const RoomQuery& query,
                                  CountedRange<Key> range) const;

 private:
  static constexpr std::size_t kBlockRows = 64;
  static_assert(kBlockRows % kRowPadding == 0);

  /// Over more blocks than these by key, hosts are looked for by row.
  static constexpr std::size_t kFewBlocks = 4;

  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  static constexpr std::size_t kNoBlock = BlockBounds::kNoBlock;

  // A key and a row, in an order that costs one comparison if it can.
  [[nodiscard]] static std::uint64_t pair_of(std::int32_t key, HostIndex row) {
    return std::uint64_t{static_cast<std::uint32_t>(key) ^ 0x80000000U} << 32 | row;
  }
  [[nodiscard]] static std::pair<double, HostIndex> pair_of(double key, HostIndex row) {
    return {key, row};
  }
  using Pair = decltype(pair_of(Key{}, HostIndex{}));

  struct Place {
    std::uint32_t block = kNowhere;
    std::uint32_t slot = 0;
  };

  [[nodiscard]] bool is_above(std::size_t position, Key key, HostIndex row) const;
  [[nodiscard]] std::size_t position_for(Key key, HostIndex row) const;
  [[nodiscard]] RoomColumns<Key> columns_at(std::size_t position) const;
  void tighten(std::size_t position) const;

  void insert_block(std::size_t position, Key key, HostIndex row);
  void store(std::size_t slot, HostIndex row, Key key, const ResourceVector& free_ignoring_spots,
             const ResourceVector& free);
  void copy_slot(std::size_t from, std::size_t to);
  void move_slot(std::size_t from, std::size_t position);
  void append(std::size_t position, HostIndex row, Key key,
              const ResourceVector& free_ignoring_spots, const ResourceVector& free);
  void erase(HostIndex row);
  void split(std::size_t position);
  void merge_if_small(std::size_t position);
  void renumber_from(std::size_t position);

  // The rows of all blocks: block b owns the slots [b * kBlockRows, (b + 1) * kBlockRows).
  RoomStore rooms_;
  std::vector<Key> key_;
  std::vector<HostIndex> row_;
  std::vector<std::uint32_t> rows_in_;   // of each block
  std::vector<std::uint32_t> position_;  // of each block in the order of keys
  std::vector<std::uint32_t> free_blocks_;
  std::vector<std::uint32_t> block_at_;  // by position, as the next
  std::vector<Pair> bound_;              // the least pair that may lie there
  mutable BlockBounds bounds_;           // by position
  std::vector<Place> place_of_;          // of each row
};

extern template class HostBlocks<std::int32_t>;
extern template class HostBlocks<double>;

}  // namespace cospot
