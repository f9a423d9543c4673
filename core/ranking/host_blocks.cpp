#include "core/ranking/host_blocks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace cospot {

template <class Key>
HostBlocks<Key>::HostBlocks(std::size_t rows, bool with_disk) : rooms_(with_disk), place_of_(rows) {
  insert_block(0, std::numeric_limits<Key>::lowest(), 0);
}

/// Tells whether the least pair that may lie in a block is above another pair.
template <class Key>
bool HostBlocks<Key>::is_above(std::size_t position, Key key, HostIndex row) const {
  return bound_[position] > pair_of(key, row);
}

/// The position of the block in whose range a pair lies.
template <class Key>
std::size_t HostBlocks<Key>::position_for(Key key, HostIndex row) const {
  const auto above = std::upper_bound(bound_.begin() + 1, bound_.end(), pair_of(key, row));
  return static_cast<std::size_t>(above - bound_.begin()) - 1;
}

template <class Key>
RoomColumns<Key> HostBlocks<Key>::columns_at(std::size_t position) const {
  const std::uint32_t block = block_at_[position];
  const std::size_t first = block * kBlockRows;
  RoomColumns<Key> columns = rooms_.columns(first, rows_in_[block], key_.data() + first);
  columns.host = row_.data() + first;
  return columns;
}

template <class Key>
void HostBlocks<Key>::tighten(std::size_t position) const {
  if (!bounds_.is_loose(position)) return;
  bounds_.tighten(position, largest_rooms(columns_at(position), rooms_.with_disk()));
}

template <class Key>
NearestHosts<Key> HostBlocks<Key>::nearest(const RoomColumns<Key>& by_row, const RoomQuery& query,
                                           Key below_this, Key above_this) const {
  constexpr Key kNoneBelow = std::numeric_limits<Key>::lowest();
  constexpr Key kNoneAbove = std::numeric_limits<Key>::max();
  NearestHosts<Key> found;
  if (below_this != kNoneBelow) {
    std::size_t position = bounds_.last_before(position_for(below_this, 0) + 1, query);
    while (position != kNoBlock) {
      found.below = nearest_hosts(columns_at(position), query, below_this, kNoneAbove).below;
      if (found.below.host != kNoHost) break;
      tighten(position);
      position = bounds_.last_before(position, query);
    }
    // Hosts with the same key may lie in blocks before.
    if (position != kNoBlock) {
      const Key key = found.below.key;
      found.below.host = is_above(position, key, 0)
                             ? lowest(by_row, query, key, key, 0)
                             : lowest_host(columns_at(position), query, key, key, 0);
    }
  }
  if (above_this != kNoneAbove) {
    std::size_t position = bounds_.first_from(position_for(above_this, kNoHost), query);
    while (position != kNoBlock) {
      found.above = nearest_hosts(columns_at(position), query, kNoneBelow, above_this).above;
      if (found.above.host != kNoHost) break;
      tighten(position);
      position = bounds_.first_from(position + 1, query);
    }
    // The first block with that key has the lowest row.
    if (position != kNoBlock) {
      const Key key = found.above.key;
      found.above.host = lowest_host(columns_at(position), query, key, key, 0);
    }
  }
  return found;
}

template <class Key>
HostIndex HostBlocks<Key>::lowest(const RoomColumns<Key>& by_row, const RoomQuery& query, Key first,
                                  Key last, HostIndex from) const {
  const std::optional<HostIndex> found = lowest_in_few(query, first, last, from);
  return found ? *found : lowest_host(by_row, query, first, last, from);
}

template <class Key>
std::optional<HostIndex> HostBlocks<Key>::lowest_in_few(const RoomQuery& query, Key first, Key last,
                                                        HostIndex from) const {
  const std::size_t begin = position_for(first, 0);
  const std::size_t end = position_for(last, kNoHost) + 1;
  if (first != last && end - begin > kFewBlocks) return std::nullopt;
  HostIndex found = kNoHost;
  for (std::size_t position = bounds_.first_from(begin, query); position < end;
       position = bounds_.first_from(position + 1, query)) {
    const HostIndex row = lowest_host(columns_at(position), query, first, last, from);
    if (row == kNoHost) tighten(position);
    found = std::min(found, row);
    // Rows of one key rise from block to block: the first hit is the lowest.
    if (first == last && found != kNoHost) break;
  }
  return found;
}

template <class Key>
std::size_t HostBlocks<Key>::count(const RoomColumns<Key>& by_row, const RoomQuery& query,
                                   CountedRange<Key> range) const {
  const std::size_t begin = position_for(range.first, 0);
  const std::size_t end = position_for(range.last, kNoHost) + 1;
  const bool is_one_group = range.first >= range.group_first && range.last <= range.group_last;
  if (is_one_group && end - begin > kFewBlocks) return count_hosts(by_row, query, range);
  const std::size_t enough = range.enough;
  std::size_t counted = 0;
  for (std::size_t position = bounds_.first_from(begin, query); position < end && counted < enough;
       position = bounds_.first_from(position + 1, query)) {
    range.enough = enough - counted;
    counted += count_hosts(columns_at(position), query, range);
  }
  return counted;
}

template <class Key>
void HostBlocks<Key>::put(HostIndex row, Key key, const ResourceVector& free_ignoring_spots,
                          const ResourceVector& free) {
  const Place place = place_of_[row];
  if (place.block != kNowhere) {
    const std::size_t position = position_[place.block];
    const bool stays = !is_above(position, key, row) &&
                       (position + 1 == block_at_.size() || is_above(position + 1, key, row));
    if (stays) {
      store(place.block * kBlockRows + place.slot, row, key, free_ignoring_spots, free);
      bounds_.raise(position, free_ignoring_spots, free);
      return;
    }
    erase(row);
  }
  append(position_for(key, row), row, key, free_ignoring_spots, free);
}

template <class Key>
void HostBlocks<Key>::remove(HostIndex row) {
  erase(row);
  place_of_[row] = {};
}

template <class Key>
void HostBlocks<Key>::store(std::size_t slot, HostIndex row, Key key,
                            const ResourceVector& free_ignoring_spots, const ResourceVector& free) {
  rooms_.set(slot, free_ignoring_spots, free);
  key_[slot] = key;
  row_[slot] = row;
}

template <class Key>
void HostBlocks<Key>::copy_slot(std::size_t from, std::size_t to) {
  rooms_.copy(from, to);
  key_[to] = key_[from];
  row_[to] = row_[from];
}

/// Copies a row to the end of the block at a position, which has room for it.
template <class Key>
void HostBlocks<Key>::move_slot(std::size_t from, std::size_t position) {
  const std::uint32_t block = block_at_[position];
  const std::uint32_t slot = rows_in_[block]++;
  copy_slot(from, block * kBlockRows + slot);
  place_of_[row_[from]] = {block, slot};
}

template <class Key>
void HostBlocks<Key>::append(std::size_t position, HostIndex row, Key key,
                             const ResourceVector& free_ignoring_spots,
                             const ResourceVector& free) {
  if (rows_in_[block_at_[position]] == kBlockRows) {
    split(position);
    if (!is_above(position + 1, key, row)) ++position;
  }
  const std::uint32_t block = block_at_[position];
  const std::uint32_t slot = rows_in_[block]++;
  store(block * kBlockRows + slot, row, key, free_ignoring_spots, free);
  place_of_[row] = {block, slot};
  bounds_.raise(position, free_ignoring_spots, free);
}

/// Fills the gap with the block's last row.
template <class Key>
void HostBlocks<Key>::erase(HostIndex row) {
  const Place place = place_of_[row];
  const std::size_t position = position_[place.block];
  const std::size_t first = place.block * kBlockRows;
  const std::uint32_t last = --rows_in_[place.block];
  if (place.slot != last) {
    copy_slot(first + last, first + place.slot);
    place_of_[row_[first + place.slot]].slot = place.slot;
  }
  rooms_.clear(first + last);
  bounds_.loosen(position);
  if (last < kBlockRows / 8) merge_if_small(position);
}

/// Adds an empty block for the pairs from (key, row) on.
template <class Key>
void HostBlocks<Key>::insert_block(std::size_t position, Key key, HostIndex row) {
  auto block = static_cast<std::uint32_t>(position_.size());
  if (free_blocks_.empty()) {
    const std::size_t slots = (std::size_t{block} + 1) * kBlockRows;
    rooms_.resize(slots);
    key_.resize(slots);
    row_.resize(slots);
    rows_in_.push_back(0);
    position_.push_back(0);
  } else {
    block = free_blocks_.back();
    free_blocks_.pop_back();
  }
  const auto at = static_cast<std::ptrdiff_t>(position);
  block_at_.insert(block_at_.begin() + at, block);
  bound_.insert(bound_.begin() + at, pair_of(key, row));
  bounds_.insert(position);
  renumber_from(position);
}

/// Moves the upper half of a full block, by (key, row), to a new one behind it.
template <class Key>
void HostBlocks<Key>::split(std::size_t position) {
  const std::size_t first = block_at_[position] * kBlockRows;
  std::array<std::size_t, kBlockRows> slots;
  std::iota(slots.begin(), slots.end(), first);
  const auto middle = slots.begin() + kBlockRows / 2;
  std::nth_element(slots.begin(), middle, slots.end(), [&](std::size_t a, std::size_t b) {
    return key_[a] < key_[b] || (key_[a] == key_[b] && row_[a] < row_[b]);
  });
  insert_block(position + 1, key_[*middle], row_[*middle]);
  for (auto slot = middle; slot != slots.end(); ++slot) move_slot(*slot, position + 1);
  // The lower half closes up: a gap takes a row from behind.
  std::sort(middle, slots.end());
  std::sort(slots.begin(), middle);
  const std::uint32_t block = block_at_[position];
  auto stays = middle;
  for (auto gap = middle; gap != slots.end() && *gap < first + kBlockRows / 2; ++gap) {
    --stays;
    copy_slot(*stays, *gap);
    place_of_[row_[*gap]].slot = static_cast<std::uint32_t>(*gap - first);
  }
  for (std::size_t slot = first + kBlockRows / 2; slot < first + kBlockRows; ++slot) {
    rooms_.clear(slot);
  }
  rows_in_[block] = kBlockRows / 2;
  bounds_.tighten(position, largest_rooms(columns_at(position), rooms_.with_disk()));
  bounds_.tighten(position + 1, largest_rooms(columns_at(position + 1), rooms_.with_disk()));
}

/// Joins a block that has become small with the one before it, so that there are never many.
template <class Key>
void HostBlocks<Key>::merge_if_small(std::size_t position) {
  if (block_at_.size() == 1) return;
  if (position == 0) position = 1;
  const std::uint32_t upper = block_at_[position];
  if (rows_in_[block_at_[position - 1]] + rows_in_[upper] > kBlockRows / 2) return;
  for (std::size_t slot = upper * kBlockRows; rows_in_[upper] > 0; ++slot, --rows_in_[upper]) {
    move_slot(slot, position - 1);
    rooms_.clear(slot);
  }
  free_blocks_.push_back(upper);
  const auto at = static_cast<std::ptrdiff_t>(position);
  block_at_.erase(block_at_.begin() + at);
  bound_.erase(bound_.begin() + at);
  bounds_.erase(position);
  renumber_from(position - 1);
  bounds_.tighten(position - 1, largest_rooms(columns_at(position - 1), rooms_.with_disk()));
}

template <class Key>
void HostBlocks<Key>::renumber_from(std::size_t position) {
  for (std::size_t i = position; i < block_at_.size(); ++i) {
    position_[block_at_[i]] = static_cast<std::uint32_t>(i);
  }
}

template class HostBlocks<std::int32_t>;
template class HostBlocks<double>;

}  // namespace cospot
