#include "bindings/workload_windows.hpp"

#include <fmt/format.h>

#include "bindings/arguments.hpp"
#include "core/errors.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

PythonWorkload with_window_days(const PythonWorkload& self, const py::object& window_days) {
  const std::optional<SimTime> window = read_window_days(window_days);
  if (!window.has_value()) throw ConfigError("window_days is None, expected a number of days");
  const py::gil_scoped_release unlocked;
  Workload copy = self.workload();
  state_window(copy, *window);
  return PythonWorkload(std::move(copy), self.unit());
}

}  // namespace

std::optional<SimTime> read_window_days(const py::object& window_days) {
  if (window_days.is_none()) return std::nullopt;
  const double days = read_any_number(window_days, "window_days");
  if (const std::optional<SimTime> window = window_of_days(days)) return window;
  throw ConfigError(fmt::format("window_days is {}, expected {}", days, kWindowDaysExpected));
}

std::optional<SimTime> read_window(const py::object& window_us, const py::object& window_days) {
  if (window_us.is_none()) return read_window_days(window_days);
  if (!window_days.is_none()) {
    throw ConfigError("window_us and window_days are both given, expected at most one of them");
  }
  return SimTime(read_integer(window_us, "window_us", 1, kMaxWindow.count()));
}

void warn(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  const py::object category = py::module_::import("cospot.errors").attr("WorkloadWarning");
  for (const std::string& warning : warnings) {
    const std::string text = py::str(to_str(warning));
    if (PyErr_WarnEx(category.ptr(), text.c_str(), 1) != 0) throw py::error_already_set();
  }
}

void warn_of_window(const PythonWorkload& workload) {
  if (workload.is_first_use()) warn(window_warnings(workload.workload()));
}

void bind_windows(py::class_<PythonWorkload>& workload) {
  workload
      .def_property_readonly(
          "window_us", [](const PythonWorkload& self) { return self.workload().window.count(); },
          "Length of the window in which instances earn, microseconds.")
      .def_property_readonly(
          "window_days",
          [](const PythonWorkload& self) {
            return static_cast<double>(self.workload().window.count()) / kMicrosecondsPerDay;
          },
          "Length of the window in which instances earn, days.")
      .def("with_window_days", &with_window_days, "window_days"_a, R"doc(
Return the same requests with another window.

Args:
    window_days: Length of the window in which instances earn, more than 0 and at most 10,001.

Raises:
    ConfigError: It is no such number.
)doc");
}

}  // namespace cospot::bindings
