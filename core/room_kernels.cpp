#include "core/room_kernels.hpp"

#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> portable_kernels();
template <>
KernelSet<double> portable_kernels();
#if defined(__x86_64__)
template <>
KernelSet<std::int32_t> avx2_kernels();
template <>
KernelSet<double> avx2_kernels();
template <>
KernelSet<std::int32_t> avx512_kernels();
template <>
KernelSet<double> avx512_kernels();
#endif

namespace {

template <class Key>
KernelSet<Key> pick_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return avx512_kernels<Key>();
  }
  if (__builtin_cpu_supports("avx2")) return avx2_kernels<Key>();
#endif
  return portable_kernels<Key>();
}

template <class Key>
const KernelSet<Key> kKernels = pick_kernels<Key>();

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
std::size_t count_hosts(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                        HostIndex before) {
  return kKernels<Key>.count(hosts, query, first, last, before);
}

#define COSPOT_INSTANTIATE(Key)                                                                   \
  template NearestHosts<Key> nearest_hosts(const RoomColumns<Key>&, const RoomQuery&, Key, Key);  \
  template HostIndex lowest_host(const RoomColumns<Key>&, const RoomQuery&, Key, Key, HostIndex); \
  template std::size_t count_hosts(const RoomColumns<Key>&, const RoomQuery&, Key, Key, HostIndex);
COSPOT_INSTANTIATE(std::int32_t)
COSPOT_INSTANTIATE(double)
#undef COSPOT_INSTANTIATE

}  // namespace cospot
