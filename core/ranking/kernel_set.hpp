#pragma once

#include <cstdint>
#include <optional>

#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// Vector instructions that the kernels are compiled for, the widest last.
enum class InstructionSet : std::uint8_t { kPortable, kAvx2, kAvx512 };

/// The kernels of one instruction set.
template <class Key>
struct KernelSet {
  NearestHosts<Key> (*nearest)(const RoomColumns<Key>&, const RoomQuery&, Key, Key);
  HostIndex (*lowest)(const RoomColumns<Key>&, const RoomQuery&, Key, Key, HostIndex);
  HostIndex (*last)(const RoomColumns<Key>&, const RoomQuery&, HostIndex);
  LargestRooms (*largest)(const RoomColumns<Key>&, bool);
  std::size_t (*count)(const RoomColumns<Key>&, const RoomQuery&, const CountedRange<Key>&);
  KeyedHost<Key> (*first_from_end)(const RoomColumns<Key>&, const RoomQuery&,
                                   const ClampedKeys<Key>&);
  HostIndex (*lowest_changed)(const RoomColumns<Key>&, const RoomQuery&, Key, Key,
                              const RowChanges&, HostIndex);
};

/// The kernels for `set`, or nothing when this processor does not have it.
template <class Key>
[[nodiscard]] std::optional<KernelSet<Key>> kernels_for(InstructionSet set);

/// The kernels as each file compiled them (core/room_loops_*.cpp).
template <class Key, InstructionSet kSet>
[[nodiscard]] KernelSet<Key> compiled_kernels();

template <>
KernelSet<std::int32_t> compiled_kernels<std::int32_t, InstructionSet::kPortable>();
template <>
KernelSet<double> compiled_kernels<double, InstructionSet::kPortable>();
#if defined(__x86_64__)
template <>
KernelSet<std::int32_t> compiled_kernels<std::int32_t, InstructionSet::kAvx2>();
template <>
KernelSet<double> compiled_kernels<double, InstructionSet::kAvx2>();
template <>
KernelSet<std::int32_t> compiled_kernels<std::int32_t, InstructionSet::kAvx512>();
template <>
KernelSet<double> compiled_kernels<double, InstructionSet::kAvx512>();
#endif

}  // namespace cospot
