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
NearestKeys<Key> nearest_keys(const RoomColumns<Key>& hosts, const RoomQuery<Key>& query,
                              Key below_this, Key above_this) {
  return kKernels<Key>.nearest(hosts, query, below_this, above_this);
}

template <class Key>
HostIndex lowest_host(const RoomColumns<Key>& hosts, const RoomQuery<Key>& query, Key first,
                      Key last, HostIndex from) {
  return kKernels<Key>.lowest(hosts, query, first, last, from);
}

template NearestKeys<std::int32_t> nearest_keys(const RoomColumns<std::int32_t>&,
                                                const RoomQuery<std::int32_t>&, std::int32_t,
                                                std::int32_t);
template NearestKeys<double> nearest_keys(const RoomColumns<double>&, const RoomQuery<double>&,
                                          double, double);
template HostIndex lowest_host(const RoomColumns<std::int32_t>&, const RoomQuery<std::int32_t>&,
                               std::int32_t, std::int32_t, HostIndex);
template HostIndex lowest_host(const RoomColumns<double>&, const RoomQuery<double>&, double, double,
                               HostIndex);

}  // namespace cospot
