#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot::bindings {

/// A workload as a dict of NumPy arrays, one entry a request.
[[nodiscard]] pybind11::dict columns_of(const Workload& workload);

/// The reverse. Errors: WorkloadError names the column and the row.
[[nodiscard]] Workload workload_from_columns(const pybind11::dict& columns, std::string name,
                                             const std::optional<SimTime>& window);

}  // namespace cospot::bindings
