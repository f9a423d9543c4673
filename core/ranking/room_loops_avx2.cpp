// Compiled for AVX2 (see CMakeLists.txt); called only where the processor has it.
#include "core/ranking/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> compiled_kernels<std::int32_t, InstructionSet::kAvx2>() {
  return room_loops::kernels<std::int32_t, InstructionSet::kAvx2>();
}

template <>
KernelSet<double> compiled_kernels<double, InstructionSet::kAvx2>() {
  return room_loops::kernels<double, InstructionSet::kAvx2>();
}

}  // namespace cospot
