// Compiled for AVX-512 (see CMakeLists.txt); called only where the processor has it.
#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> avx512_kernels() {
  return room_loops::kernels<std::int32_t, room_loops::InstructionSet::kAvx512>();
}

template <>
KernelSet<double> avx512_kernels() {
  return room_loops::kernels<double, room_loops::InstructionSet::kAvx512>();
}

}  // namespace cospot
