#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/request.hpp"
#include "core/resource_vector.hpp"
#include "core/sim_time.hpp"

namespace cospot {

/// Revenue in vcpu-microseconds: the product of an instance's vcpus and its life inside the
/// window, summed exactly. 128 bits hold the whole zone (64 would overflow at about 2 %).
__extension__ using Revenue = __int128;

/// One instance's request and its (fore-known) end.
struct WorkloadRow {
  std::string id;      ///< as the file writes it; unique in a workload
  std::string tenant;  ///< who asked; batches are contiguous requests of one tenant
  ResourceVector resources;
  InstanceClass instance_class = InstanceClass::kVm;
  SimTime start{0};      ///< negative: before the window
  SimTime end = kNever;  ///< kNever: never ended; start <= end
};

/// Requests over time, in file order, and the window in which they earn.
struct Workload {
  std::string name;    ///< as the sweep file writes it
  std::string sha256;  ///< of the file's bytes as stored (compressed if it is), or of the recipe
  SimTime window = 14 * kDay;  ///< revenue counts inside [0, window]
  std::vector<WorkloadRow> rows;
};

}  // namespace cospot
