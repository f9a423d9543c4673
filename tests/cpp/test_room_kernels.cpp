#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "core/ranking/first_rows.hpp"
#include "core/ranking/kernel_set.hpp"

namespace cospot {
namespace {

/// Random columns with few distinct keys and rooms, so that ties are common.
template <class Key>
struct RandomColumns {
  RandomColumns(std::size_t rows, bool in_host_order, Random& random) {
    const std::size_t padded = (rows + kRowPadding - 1) / kRowPadding * kRowPadding;
    for (std::vector<ResourceAmount>* room : {rooms, rooms + 3}) {
      for (int resource = 0; resource < 3; ++resource) room[resource].resize(padded, -1);
    }
    key.resize(padded, std::numeric_limits<Key>::lowest());
    host.resize(padded);
    for (std::size_t row = 0; row < rows; ++row) {
      for (int resource = 0; resource < 3; ++resource) {
        const auto free_ignoring_spots = static_cast<ResourceAmount>(random.below(8));
        rooms[resource][row] = free_ignoring_spots;
        rooms[3 + resource][row] = static_cast<ResourceAmount>(
            random.below(static_cast<std::uint64_t>(free_ignoring_spots) + 1));
      }
      // Every tenth row has the key that no search may find.
      if (random.below(10) != 0) key[row] = static_cast<Key>(random.below(9)) - 4;
      host[row] = static_cast<HostIndex>(row);
    }
    if (!in_host_order) {
      for (std::size_t row = rows; row > 1; --row) {
        std::swap(host[row - 1], host[random.below(row)]);
      }
    }
    columns = {.free_ignoring_spots = {rooms[0].data(), rooms[1].data(), rooms[2].data()},
               .free = {rooms[3].data(), rooms[4].data(), rooms[5].data()},
               .key = key.data(),
               .host = in_host_order ? nullptr : host.data(),
               .rows = rows};
  }

  [[nodiscard]] bool fits(std::size_t row, const RoomQuery& query) const {
    const auto has_room = [&](const std::vector<ResourceAmount>* room) {
      return room[0][row] >= query.need.vcpus && room[1][row] >= query.need.memory_mb &&
             (!query.with_disk || room[2][row] >= query.need.disk_gb);
    };
    switch (query.fit) {
      case Fit::kBesideVms:
        return has_room(rooms);
      case Fit::kBesideAll:
        return has_room(rooms + 3);
      case Fit::kOnlyWithEvictions:
        break;
    }
    return has_room(rooms) && !has_room(rooms + 3);
  }

  std::vector<ResourceAmount> rooms[6];
  std::vector<Key> key;
  std::vector<HostIndex> host;
  RoomColumns<Key> columns;
};

/// The definitions of the kernels, row by row.
template <class Key>
struct Expected {
  KeyedHost<Key> below;
  KeyedHost<Key> above;
  HostIndex lowest = kNoHost;
  std::size_t count = 0;
};

template <class Key>
Expected<Key> expect(const RandomColumns<Key>& random, const RoomQuery& query, Key below_this,
                     Key above_this, const CountedRange<Key>& range, HostIndex from) {
  Expected<Key> expected;
  for (std::size_t row = 0; row < random.columns.rows; ++row) {
    const Key key = random.key[row];
    const HostIndex host = random.host[row];
    if (!random.fits(row, query) || key == std::numeric_limits<Key>::lowest()) continue;
    if (key < below_this && (expected.below.host == kNoHost || key > expected.below.key)) {
      expected.below = {key, host};
    }
    if (key > above_this && (expected.above.host == kNoHost || key < expected.above.key)) {
      expected.above = {key, host};
    }
    if (key < range.first || key > range.last) continue;
    if (host >= from) expected.lowest = std::min(expected.lowest, host);
    const bool in_group = key >= range.group_first && key <= range.group_last;
    expected.count += in_group && host >= range.before ? 0 : 1;
  }
  return expected;
}

/// The definition of first_from_end, row by row; the rows are hosts.
template <class Key>
KeyedHost<Key> expect_first(const RandomColumns<Key>& random, const RoomQuery& query,
                            const ClampedKeys<Key>& keys) {
  KeyedHost<Key> first;
  for (std::size_t row = 0; row < random.columns.rows; ++row) {
    if (!random.fits(row, query) || random.key[row] == std::numeric_limits<Key>::lowest()) continue;
    const Key key = std::clamp(random.key[row], keys.low, keys.high);
    const bool is_better = keys.from_highest ? key > first.key : key < first.key;
    if (first.host == kNoHost || is_better) first = {key, random.host[row]};
  }
  return first;
}

template <class Key>
void check_kernels(InstructionSet set) {
  const auto kernels = kernels_for<Key>(set);
  if (!kernels.has_value()) {
    MESSAGE("skipped: this processor has no such instructions");
    return;
  }
  constexpr Key kLowest = std::numeric_limits<Key>::lowest();
  constexpr Key kLargest = std::numeric_limits<Key>::max();
  Random random(static_cast<std::uint64_t>(sizeof(Key)));
  for (int round = 0; round < 4000; ++round) {
    const bool in_host_order = round % 2 == 0;
    const RandomColumns<Key> data(1 + random.below(100), in_host_order, random);
    const auto small = [&] { return static_cast<ResourceAmount>(random.below(6)); };
    const RoomQuery query{.fit = static_cast<Fit>(random.below(3)),
                          .with_disk = random.below(2) == 0,
                          .need = {small(), small(), small()}};
    const Key gap = static_cast<Key>(random.below(11)) - 5;
    const Key below_this = round % 5 == 0 ? kLargest : round % 5 == 1 ? kLowest : gap;
    const Key above_this = round % 5 == 2 ? kLargest : gap - 1;
    CountedRange<Key> range{.first = gap, .last = gap + static_cast<Key>(random.below(4))};
    range.group_first = range.first + static_cast<Key>(random.below(3)) - 1;
    range.group_last = range.last;
    range.before = static_cast<HostIndex>(random.below(100));
    const auto from = static_cast<HostIndex>(random.below(data.columns.rows));
    const Expected<Key> expected = expect(data, query, below_this, above_this, range, from);

    const NearestHosts<Key> nearest = kernels->nearest(data.columns, query, below_this, above_this);
    REQUIRE((nearest.below.host == kNoHost) == (expected.below.host == kNoHost));
    REQUIRE((nearest.above.host == kNoHost) == (expected.above.host == kNoHost));
    if (expected.below.host != kNoHost) REQUIRE(nearest.below.key == expected.below.key);
    if (expected.above.host != kNoHost) REQUIRE(nearest.above.key == expected.above.key);
    if (in_host_order) {
      REQUIRE(nearest.below.host == expected.below.host);
      REQUIRE(nearest.above.host == expected.above.host);
      for (const bool from_highest : {true, false}) {
        const ClampedKeys<Key> keys{.low = round % 3 == 0 ? kLowest : range.first,
                                    .high = round % 3 == 1 ? kLargest : range.last,
                                    .from_highest = from_highest};
        const KeyedHost<Key> first = expect_first(data, query, keys);
        const KeyedHost<Key> found = kernels->first_from_end(data.columns, query, keys);
        REQUIRE(found.host == first.host);
        if (first.host != kNoHost) REQUIRE(found.key == first.key);
      }
      // Of the rows below `from`, those whose 16 changed after 2 (room_kernels.hpp).
      std::vector<std::int32_t> changed(kRowPadding, 0);
      for (std::int32_t& time : changed) time = static_cast<std::int32_t>(random.below(4));
      HostIndex lowest = kNoHost;
      for (HostIndex row = from; row-- > 0;) {
        const bool is_in = data.key[row] >= range.first && data.key[row] <= range.last;
        if (changed[row / 16] > 2 && is_in && data.fits(row, query)) lowest = row;
      }
      REQUIRE(kernels->lowest_changed(data.columns, query, range.first, range.last,
                                      {.changed = changed.data(), .since = 2}, from) == lowest);
    }
    REQUIRE(kernels->lowest(data.columns, query, range.first, range.last, from) == expected.lowest);
    REQUIRE(kernels->count(data.columns, query, range) == expected.count);
    if (query.fit != Fit::kOnlyWithEvictions) {
      HostIndex last = kNoHost;
      for (HostIndex row = 0; row < from; ++row) last = data.fits(row, query) ? row : last;
      REQUIRE(kernels->last(data.columns, query, from) == last);
    }
    for (const bool with_disk : {true, false}) {
      const LargestRooms largest = kernels->largest(data.columns, with_disk);
      const auto largest_of = [&](const std::vector<ResourceAmount>* room) -> ResourceVector {
        return {*std::ranges::max_element(room[0]), *std::ranges::max_element(room[1]),
                with_disk ? *std::ranges::max_element(room[2]) : 0};
      };
      REQUIRE(largest.free_ignoring_spots == largest_of(data.rooms));
      REQUIRE(largest.free == largest_of(data.rooms + 3));
    }
    range.enough = random.below(5);
    REQUIRE(kernels->count(data.columns, query, range) >= std::min(range.enough, expected.count));
    REQUIRE(kernels->count(data.columns, query, range) <= expected.count);
  }
}

TEST_CASE("room kernels: every instruction set finds what the definitions say") {
  SUBCASE("portable") {
    check_kernels<std::int32_t>(InstructionSet::kPortable);
    check_kernels<double>(InstructionSet::kPortable);
  }
  SUBCASE("AVX2") {
    check_kernels<std::int32_t>(InstructionSet::kAvx2);
    check_kernels<double>(InstructionSet::kAvx2);
  }
  SUBCASE("AVX-512") {
    check_kernels<std::int32_t>(InstructionSet::kAvx512);
    check_kernels<double>(InstructionSet::kAvx512);
  }
}

TEST_CASE("FirstRows: finds what a pass over all rows finds, whatever changed in between") {
  Random random(3);
  RandomColumns<std::int32_t> data(90, /*in_host_order=*/true, random);
  FirstRows<std::int32_t> first_rows(/*most_changes=*/50);
  for (int round = 0; round < 20'000; ++round) {
    for (std::uint64_t changes = random.below(4); changes > 0; --changes) {
      const auto row = random.below(90);
      for (std::vector<ResourceAmount>& room : data.rooms) {
        room[row] = static_cast<ResourceAmount>(random.below(8));
      }
      data.key[row] = static_cast<std::int32_t>(random.below(9)) - 4;
      first_rows.changed(static_cast<HostIndex>(row));
    }
    const RoomQuery query{.fit = static_cast<Fit>(random.below(3)),
                          .need = {static_cast<ResourceAmount>(random.below(9)),
                                   static_cast<ResourceAmount>(5 + random.below(4)), 0}};
    const std::int32_t first = random.below(2) == 0 ? -4 : 1;
    HostIndex lowest = kNoHost;
    for (HostIndex row = 90; row-- > 0;) {
      const bool is_in = data.key[row] >= first && data.key[row] <= first + 2;
      if (is_in && data.fits(row, query)) lowest = row;
    }
    REQUIRE(first_rows.lowest(data.columns, query, first, first + 2) == lowest);
  }
}

}  // namespace
}  // namespace cospot
