// Compiled for AVX2 (see CMakeLists.txt); called only where the processor has it.
#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> avx2_kernels() {
  return room_loops::kernels_of_width<std::int32_t, 32>();
}

template <>
KernelSet<double> avx2_kernels() {
  return room_loops::kernels_of_width<double, 32>();
}

}  // namespace cospot
