#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings/workloads.hpp"
#include "core/model/sim_time.hpp"

namespace cospot::bindings {

/// The window that an argument `window_days` states; nothing for None.
[[nodiscard]] std::optional<SimTime> read_window_days(const pybind11::object& window_days);

/// The same of the two arguments of which at most one may be given.
[[nodiscard]] std::optional<SimTime> read_window(const pybind11::object& window_us,
                                                 const pybind11::object& window_days);

/// Warns (cospot.errors.WorkloadWarning) of each, in the name of the Python code that called.
void warn(const std::vector<std::string>& warnings);

/// Warns of what figures over a workload should be taken with, at its first use.
void warn_of_window(const PythonWorkload& workload);

/// Adds what Workload knows of its window.
void bind_windows(pybind11::class_<PythonWorkload>& workload);

}  // namespace cospot::bindings
