// Compiled for AVX2 (see CMakeLists.txt); called only where the processor has it.
#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> avx2_kernels() {
  return room_loops::kernels<std::int32_t, room_loops::InstructionSet::kAvx2>();
}

template <>
KernelSet<double> avx2_kernels() {
  return room_loops::kernels<double, room_loops::InstructionSet::kAvx2>();
}

}  // namespace cospot
