#pragma once

#include <pybind11/pybind11.h>

#include "bindings/workloads.hpp"

namespace cospot::bindings {

/// Adds equality and the ways to take requests out of a workload: by row, slice and condition.
void bind_rows(pybind11::class_<PythonWorkload>& workload);

}  // namespace cospot::bindings
