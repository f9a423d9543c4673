// For processors without the vector instructions of the other two.
#include "core/ranking/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> compiled_kernels<std::int32_t, InstructionSet::kPortable>() {
  return room_loops::kernels<std::int32_t, InstructionSet::kPortable>();
}

template <>
KernelSet<double> compiled_kernels<double, InstructionSet::kPortable>() {
  return room_loops::kernels<double, InstructionSet::kPortable>();
}

}  // namespace cospot
