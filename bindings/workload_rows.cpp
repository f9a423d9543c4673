#include "bindings/workload_rows.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/workload_columns.hpp"
#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/data/workloads/placement_fields.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

/// One request as a cospot.records.RequestRecord.
py::object record_of(const Workload& workload, const WorkloadRow& row) {
  const py::object record = py::module_::import("cospot.records").attr("RequestRecord");
  py::list placement;
  if (row.placement != 0) {
    for (const std::string& text : placement_texts(workload, row)) placement.append(to_str(text));
  }
  return record(to_str(row.id), to_str(row.tenant), row.is_spot(), row.resources.vcpus,
                row.resources.memory_mb, row.resources.disk_gb, row.start.count(), row.end.count(),
                *placement);
}

/// The requests in `rows`, in that order, with all else that the workload has.
PythonWorkload take_rows(const PythonWorkload& self, const std::vector<std::size_t>& rows) {
  const py::gil_scoped_release unlocked;
  const Workload& whole = self.workload();
  std::string recipe = "requests";
  for (const std::size_t row : rows) recipe += fmt::format(" {}", row);
  Workload part{
      .name = fmt::format("{} ({} of {} requests)", whole.name, rows.size(), whole.rows.size()),
      .sha256 = sha256_hex(recipe + " of " + whole.sha256),
      .window = whole.window,
      .window_is_stated = whole.window_is_stated,
      .rows = {},
      .placements = whole.placements};
  part.rows.reserve(rows.size());
  for (const std::size_t row : rows) part.rows.push_back(whole.rows[row]);
  if (part.rows.empty()) throw ConfigError("no request is left, expected one or more");
  return PythonWorkload(std::move(part), self.unit());
}

py::object item(const PythonWorkload& self, const py::object& index) {
  const std::vector<WorkloadRow>& rows = self.workload().rows;
  if (!py::isinstance<py::slice>(index)) {
    return record_of(self.workload(), rows[read_position(index, rows.size(), "requests")]);
  }
  py::ssize_t start = 0, stop = 0, step = 0, count = 0;
  const auto slice = py::reinterpret_borrow<py::slice>(index);
  if (!slice.compute(static_cast<py::ssize_t>(rows.size()), &start, &stop, &step, &count)) {
    throw py::error_already_set();
  }
  std::vector<std::size_t> taken;
  for (py::ssize_t i = 0; i < count; ++i) {
    taken.push_back(static_cast<std::size_t>(start + i * step));
  }
  return py::cast(take_rows(self, taken));
}

PythonWorkload where(const PythonWorkload& self, const py::object& condition) {
  const bool is_function = PyCallable_Check(condition.ptr()) != 0;
  const py::object given = is_function ? condition(columns_of(self.workload())) : condition;
  const py::array flags = py::array::ensure(given);
  if (!flags || flags.dtype().kind() != 'b' || flags.ndim() != 1) {
    PyErr_Clear();
    throw_type(given, is_function ? "the result of condition" : "condition",
               "a boolean array, shape (n,), or a function of the columns that returns one");
  }
  const std::size_t count = self.workload().rows.size();
  if (static_cast<std::size_t>(flags.size()) != count) {
    throw ConfigError(
        fmt::format("condition has {} values, but there are {} requests", flags.size(), count));
  }
  const auto keeps = flags.cast<py::array_t<bool>>().unchecked<1>();
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < count; ++row) {
    if (keeps(static_cast<py::ssize_t>(row))) kept.push_back(row);
  }
  return take_rows(self, kept);
}

/// Tells whether the requests, in their order, the window and the unit are the same.
bool are_equal(const PythonWorkload& self, const PythonWorkload& other) {
  const py::gil_scoped_release unlocked;
  const Workload& one = self.workload();
  const Workload& another = other.workload();
  if (one.window != another.window || !(self.unit() == other.unit())) return false;
  if (one.placements.empty() && another.placements.empty()) return one.rows == another.rows;
  // Each workload numbers its placements in its own order.
  return std::ranges::equal(one.rows, another.rows, [&](WorkloadRow a, WorkloadRow b) {
    const bool is_placed_alike =
        placement_fields(a, one.placements) == placement_fields(b, another.placements);
    a.placement = b.placement = 0;
    return is_placed_alike && a == b;
  });
}

}  // namespace

void bind_rows(py::class_<PythonWorkload>& workload) {
  workload
      .def("__eq__", &are_equal, py::is_operator(), "other"_a,
           "Return whether requests, window and unit are equal, whatever the names and digests.")
      .def(
          "__hash__",
          [](const PythonWorkload& self) {
            return py::hash(
                py::make_tuple(self.workload().rows.size(), self.workload().window.count()));
          },
          "Return the hash of an equal workload.")
      .def("__getitem__", &item, "index"_a, R"doc(
Return one request, or those of a slice.

Args:
    index: The request's number, from the end when negative; or a slice, which may go backwards.

Returns:
    A RequestRecord; of a slice a Workload with the same window and unit, and a name and digest of
    its own.

Raises:
    IndexError: There is no such request.
    ConfigError: The slice has no request.
)doc")
      .def(
          "__iter__",
          [](const py::object& self) {
            const py::module_ builtins = py::module_::import("builtins");
            return builtins.attr("map")(self.attr("__getitem__"),
                                        builtins.attr("range")(py::len(self)));
          },
          "Return an iterator of the requests: RequestRecord.")
      .def("where", &where, "condition"_a, R"doc(
Return the requests that meet a condition.

Args:
    condition: bool array, shape (n,), one entry a request; or a function that is called once, with
        the columns of to_columns(), and returns such an array:
        `workload.where(lambda columns: columns["vcpus"] >= 8)`.

Returns:
    A Workload of these requests, in their order, with the same window and unit, and a name and
    digest of its own.

Raises:
    ConfigError: No request meets it, or it has another length.
    ArgumentError: It is no boolean array.
)doc");
}

}  // namespace cospot::bindings
