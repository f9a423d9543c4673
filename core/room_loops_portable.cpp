// Vectors of 16 bytes: SSE2, which every x86-64 has, or what else the machine has.
#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> portable_kernels() {
  return room_loops::kernels_of_width<std::int32_t, 16>();
}

template <>
KernelSet<double> portable_kernels() {
  return room_loops::kernels_of_width<double, 16>();
}

}  // namespace cospot
