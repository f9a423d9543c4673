// Compiled for AVX-512 (see CMakeLists.txt); called only where the processor has it.
#include "core/ranking/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> compiled_kernels<std::int32_t, InstructionSet::kAvx512>() {
  return room_loops::kernels<std::int32_t, InstructionSet::kAvx512>();
}

template <>
KernelSet<double> compiled_kernels<double, InstructionSet::kAvx512>() {
  return room_loops::kernels<double, InstructionSet::kAvx512>();
}

}  // namespace cospot
