// For processors without the vector instructions of the other two.
#include "core/room_loops.hpp"

namespace cospot {

template <>
KernelSet<std::int32_t> portable_kernels() {
  return room_loops::kernels<std::int32_t, room_loops::InstructionSet::kPortable>();
}

template <>
KernelSet<double> portable_kernels() {
  return room_loops::kernels<double, room_loops::InstructionSet::kPortable>();
}

}  // namespace cospot
