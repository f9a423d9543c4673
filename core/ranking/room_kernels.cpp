#include "core/ranking/room_kernels.hpp"

#include "core/ranking/kernel_set.hpp"

namespace cospot {

template <class Key>
std::optional<KernelSet<Key>> kernels_for(InstructionSet set) {
  if (set == InstructionSet::kPortable) return compiled_kernels<Key, InstructionSet::kPortable>();
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (set == InstructionSet::kAvx2 && __builtin_cpu_supports("avx2")) {
    return compiled_kernels<Key, InstructionSet::kAvx2>();
  }
  if (set == InstructionSet::kAvx512 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return compiled_kernels<Key, InstructionSet::kAvx512>();
  }
#endif
  return std::nullopt;
}

namespace {

template <class Key>
KernelSet<Key> widest_kernels() {
  for (const InstructionSet set : {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
    if (const auto kernels = kernels_for<Key>(set)) return *kernels;
  }
  return compiled_kernels<Key, InstructionSet::kPortable>();
}

template <class Key>
const KernelSet<Key> kKernels = widest_kernels<Key>();

}  // namespace

template <class Key>
NearestHosts<Key> nearest_hosts(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                Key below_this, Key above_this) {
  return kKernels<Key>.nearest(hosts, query, below_this, above_this);
}

template <class Key>
HostIndex lowest_host(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                      HostIndex from) {
  return kKernels<Key>.lowest(hosts, query, first, last, from);
}

template <class Key>
HostIndex last_row_before(const RoomColumns<Key>& hosts, const RoomQuery& query, HostIndex end) {
  return kKernels<Key>.last(hosts, query, end);
}

template <class Key>
LargestRooms largest_rooms(const RoomColumns<Key>& hosts, bool with_disk) {
  return kKernels<Key>.largest(hosts, with_disk);
}

template <class Key>
KeyedHost<Key> first_from_end(const RoomColumns<Key>& hosts, const RoomQuery& query,
                              const ClampedKeys<Key>& keys) {
  return kKernels<Key>.first_from_end(hosts, query, keys);
}

template <class Key>
HostIndex lowest_changed_host(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first,
                              Key last, const RowChanges& changes, HostIndex end) {
  return kKernels<Key>.lowest_changed(hosts, query, first, last, changes, end);
}

template <class Key>
std::size_t count_hosts(const RoomColumns<Key>& hosts, const RoomQuery& query,
                        const CountedRange<Key>& range) {
  return kKernels<Key>.count(hosts, query, range);
}

#define COSPOT_INSTANTIATE(Key)                                                                   \
  template std::optional<KernelSet<Key>> kernels_for(InstructionSet);                             \
  template NearestHosts<Key> nearest_hosts(const RoomColumns<Key>&, const RoomQuery&, Key, Key);  \
  template HostIndex lowest_host(const RoomColumns<Key>&, const RoomQuery&, Key, Key, HostIndex); \
  template HostIndex last_row_before(const RoomColumns<Key>&, const RoomQuery&, HostIndex);       \
  template LargestRooms largest_rooms(const RoomColumns<Key>&, bool);                             \
  template KeyedHost<Key> first_from_end(const RoomColumns<Key>&, const RoomQuery&,               \
                                         const ClampedKeys<Key>&);                                \
  template HostIndex lowest_changed_host(const RoomColumns<Key>&, const RoomQuery&, Key, Key,     \
                                         const RowChanges&, HostIndex);                           \
  template std::size_t count_hosts(const RoomColumns<Key>&, const RoomQuery&,                     \
                                   const CountedRange<Key>&);
COSPOT_INSTANTIATE(std::int32_t)
COSPOT_INSTANTIATE(double)
#undef COSPOT_INSTANTIATE

}  // namespace cospot
