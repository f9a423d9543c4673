// Compiled for AVX-512 (see CMakeLists.txt); called only where the processor has it.
#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> avx512_kernels() {
  return room_loops::kernels_of_width<std::int32_t, 64>();
}

template <>
KernelSet<double> avx512_kernels() {
  return room_loops::kernels_of_width<double, 64>();
}

}  // namespace cospot
