#pragma once

#include <cstddef>
#include <cstdint>

#include "core/host_table.hpp"
#include "core/resource_vector.hpp"

namespace cospot {

/// Beside what a request must have room on a host.
enum class Fit : std::uint8_t {
  kBesideVms,          ///< room beside the VMs; spots are ignored
  kBesideAll,          ///< room beside VMs and spots
  kOnlyWithEvictions,  ///< room beside the VMs, but not beside VMs and spots
};

/// Columns of hosts, padded to a multiple of kLanePadding with rows without room. Keys are int32_t
/// or double, strictly between the lowest and the largest value of their type.
template <class Key>
struct RoomColumns {
  const ResourceAmount* beside_vms[3] = {};  ///< free vcpus, memory_mb, disk_gb
  const ResourceAmount* beside_all[3] = {};
  const Key* key = nullptr;
  const HostIndex* host = nullptr;  ///< each below 2^31; nullptr: row r is host r
  std::size_t rows = 0;             ///< without the padding
};

inline constexpr std::size_t kLanePadding = 16;

/// Which hosts are asked for: those that fit `need`.
struct RoomQuery {
  Fit fit = Fit::kBesideVms;
  bool with_disk = false;  ///< look at disk_gb as well
  ResourceVector need;     ///< no amount is negative
};

/// The keys on either side of a gap that lie nearest to it; the lowest or the largest value of Key
/// when there is none.
template <class Key>
struct NearestKeys {
  Key below;
  Key above;
};

/// Among the hosts that fit: the largest key < `below_this` and the smallest > `above_this`. A side
/// without interest is left out: below_this = the lowest, above_this = the largest value of Key.
/// All kernels use the widest vector instructions of the machine; results do not depend on them.
template <class Key>
[[nodiscard]] NearestKeys<Key> nearest_keys(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                            Key below_this, Key above_this);

/// The lowest host index >= `from` among the hosts that fit and whose key lies in [first, last];
/// kNoHost when there is none.
template <class Key>
[[nodiscard]] HostIndex lowest_host(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                    Key first, Key last, HostIndex from);

/// How many hosts fit, have a key in [first, last] and an index below `before`.
template <class Key>
[[nodiscard]] std::size_t count_hosts(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                      Key first, Key last, HostIndex before);

}  // namespace cospot
