#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/model/host_table.hpp"
#include "core/model/resource_vector.hpp"

namespace cospot {

/// Beside what a request must have room on a host.
enum class Fit : std::uint8_t {
  kBesideVms,          ///< room beside the VMs; spots are ignored
  kBesideAll,          ///< room beside VMs and spots
  kOnlyWithEvictions,  ///< room beside the VMs, but not beside VMs and spots
};

/// Columns of hosts, padded to a multiple of kRowPadding with rows without room. Keys are int32_t
/// or double, below the largest value of their type; a row with the lowest value is never found.
template <class Key>
struct RoomColumns {
  const ResourceAmount* free_ignoring_spots[3] = {};  ///< free vcpus, memory_mb, disk_gb
  const ResourceAmount* free[3] = {};
  const Key* key = nullptr;
  const HostIndex* host = nullptr;  ///< each below 2^31; nullptr: row r is host r
  std::size_t rows = 0;             ///< without the padding
};

/// The next value of the key's type.
[[nodiscard]] inline std::int32_t next_key_up(std::int32_t key) { return key + 1; }
[[nodiscard]] inline double next_key_up(double key) {
  return std::nextafter(key, std::numeric_limits<double>::max());
}

/// The hosts that a query asks for: those that fit `need`.
struct RoomQuery {
  Fit fit = Fit::kBesideVms;
  bool with_disk = false;  ///< look at disk_gb as well
  ResourceVector need;     ///< no amount is negative
};

/// A key and the lowest host index that has it among those asked for; kNoHost when there is none.
template <class Key>
struct KeyedHost {
  Key key{};
  HostIndex host = kNoHost;
};

/// The hosts on either side of a gap whose keys lie nearest to it.
template <class Key>
struct NearestHosts {
  KeyedHost<Key> below;
  KeyedHost<Key> above;
};

/// Among the hosts that fit: the largest key < `below_this` and the smallest > `above_this`. A side
/// without interest is left out: below_this = the lowest, above_this = the largest value of Key.
/// Where rows are not hosts (RoomColumns::host), the host returned has the key but need not be the
/// lowest that does.
/// All kernels use the widest vector instructions of the machine; results do not depend on them.
template <class Key>
[[nodiscard]] NearestHosts<Key> nearest_hosts(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                              Key below_this, Key above_this);

/// The lowest host index >= `from` among the hosts that fit and whose key lies in [first, last];
/// kNoHost when there is none.
template <class Key>
[[nodiscard]] HostIndex lowest_host(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                    Key first, Key last, HostIndex from);

/// A change of a row is noted for so many rows together.
inline constexpr std::size_t kRowsOfChange = 16;

/// When rows changed last, and from when on it counts.
struct RowChanges {
  const std::int32_t* changed = nullptr;  ///< of each kRowsOfChange rows; padded as rows are
  std::int32_t since = 0;
};

/// As lowest_host(), but among the rows below `end` that changed after a time. Of hosts whose rows
/// are hosts.
template <class Key>
[[nodiscard]] HostIndex lowest_changed_host(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                            Key first, Key last, const RowChanges& changes,
                                            HostIndex end);

/// The highest row below `end` that fits; kNoHost when there is none. Not for kOnlyWithEvictions.
template <class Key>
[[nodiscard]] HostIndex last_row_before(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                        HostIndex end);

/// The largest amount of each resource.
struct LargestRooms {
  ResourceVector free_ignoring_spots;
  ResourceVector free;
};

/// Over all rows; 0 for a disk that is not looked at.
template <class Key>
[[nodiscard]] LargestRooms largest_rooms(const RoomColumns<Key>& hosts, bool with_disk);

/// From which end first_from_end looks; keys below `low` count as `low`, those above `high` as it.
template <class Key>
struct ClampedKeys {
  Key low{};
  Key high{};
  bool from_highest = true;
};

/// The host that fits with the outermost key, so clamped, at that end, and that key. Of hosts whose
/// rows are hosts (RoomColumns::host).
template <class Key>
[[nodiscard]] KeyedHost<Key> first_from_end(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                            const ClampedKeys<Key>& keys);

/// The hosts that count_hosts counts: those with a key in [first, last], but of the group with a
/// key in [group_first, group_last] only the hosts below `before`. The group lies inside the range.
template <class Key>
struct CountedRange {
  Key first{};
  Key last{};
  Key group_first{};
  Key group_last{};
  HostIndex before = kNoHost;
  std::size_t enough = SIZE_MAX;  ///< counting may stop here
};

/// The number of hosts in a range that fit; at least `enough` if there are that many.
template <class Key>
[[nodiscard]] std::size_t count_hosts(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                      const CountedRange<Key>& range);

}  // namespace cospot
