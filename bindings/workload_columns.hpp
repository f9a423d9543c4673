#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot::bindings {

/// A workload as a dict of NumPy arrays, one entry a request.
[[nodiscard]] pybind11::dict columns_of(const Workload& workload);

/// The fields of a row that say what it asks besides capacity, in the order of their columns.
[[nodiscard]] std::vector<std::string> placement_texts(const Workload& workload,
                                                       const WorkloadRow& row);

/// The reverse of columns_of. Errors: WorkloadError names the column and the row.
[[nodiscard]] Workload workload_from_columns(const pybind11::dict& columns, std::string name,
                                             const std::optional<SimTime>& window);

}  // namespace cospot::bindings
