// Workload: load, generate, sample, describe, save; to and from columns and pandas.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workload_columns.hpp"
#include "bindings/workload_rows.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/data/workloads/workload_info_text.hpp"
#include "sim_harness/data/workloads/workload_sample.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

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

WorkloadSpec GivenWorkloads::add(const PythonWorkload& workload) {
  WorkloadSpec spec{.label = workload.workload().name, .file = {}, .synthetic = {}};
  spec.made_unit = workload.unit();
  spec.made = workload.shared_workload();
  std::size_t others = 0;
  for (const WorkloadSpec& before : given_) {
    if (before.made->name != spec.made->name) continue;
    if (before.made->sha256 == spec.made->sha256 && before.made->window == spec.made->window) {
      return before;
    }
    ++others;
  }
  if (others > 0) spec.label += fmt::format("#{}", others + 1);
  given_.push_back(spec);
  return spec;
}

namespace {

WorkloadSpec spec_of(const py::handle& given, std::string_view name, GivenWorkloads& before) {
  if (py::isinstance<PythonWorkload>(given)) return before.add(given.cast<const PythonWorkload&>());
  return parse_workload_spec(read_path(given, name).string());
}

}  // namespace

WorkloadSpec read_workload_spec(const py::handle& given, std::string_view name) {
  GivenWorkloads none;
  return spec_of(given, name, none);
}

std::vector<WorkloadSpec> read_workload_specs(const py::object& given, std::string_view name) {
  if (py::hasattr(given, "tolist")) return read_workload_specs(given.attr("tolist")(), name);
  if (!py::isinstance<py::list>(given) && !py::isinstance<py::tuple>(given)) {
    return {read_workload_spec(given, name)};
  }
  std::vector<WorkloadSpec> specs;
  GivenWorkloads before;
  for (const py::handle one : given) specs.push_back(spec_of(one, name, before));
  if (specs.empty()) throw ConfigError(std::string(name) + " is empty, expected one or more");
  return specs;
}

void warn(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  const py::object category = py::module_::import("cospot.errors").attr("WorkloadWarning");
  for (const std::string& warning : warnings) {
    const std::string text = py::str(to_str(with_argument_names(warning)));
    if (PyErr_WarnEx(category.ptr(), text.c_str(), 1) != 0) throw py::error_already_set();
  }
}

void warn_of_inputs(const PythonWorkload& workload, const HostMix& hosts) {
  if (workload.is_first_use()) warn(window_warnings(workload.workload()));
  std::string doubt =
      host_warning(workload.workload(), workload.sums(), hosts.largest_total(), workload.unit());
  if (!doubt.empty()) warn({std::move(doubt)});
}

namespace {

std::uint64_t read_seed(const py::object& seed) {
  return static_cast<std::uint64_t>(read_integer(seed, "seed", 0, INT64_MAX));
}

PythonWorkload load(const py::object& path, const py::object& window_days) {
  const std::filesystem::path file = read_path(path, "path");
  const std::optional<SimTime> window = read_window_days(window_days);
  Workload read = watched([&] {
    Workload workload = read_workload(file);
    state_window(workload, window);
    return workload;
  });
  return PythonWorkload(std::move(read), read_vcpus_unit(file));
}

PythonWorkload generate(const py::object& model, const py::object& seed, const py::object& scale,
                        const py::object& sampling, const py::object& window_days) {
  const SyntheticSpec spec{.model = read_text(model, "model"),
                           .seed = read_seed(seed),
                           .scale = read_any_number(scale, "scale"),
                           .sampling = parse_zone_sampling(read_text(sampling, "sampling"))};
  const std::optional<SimTime> window = read_window_days(window_days);
  Workload made = watched([&] {
    Workload workload = generate_workload(spec);
    state_window(workload, window);
    return workload;
  });
  return PythonWorkload(std::move(made), kModelUnit);
}

PythonWorkload sample(const PythonWorkload& self, const py::object& probability, bool batched,
                      const py::object& seed) {
  const double kept = read_any_number(probability, "probability");
  const std::uint64_t drawn_with = read_seed(seed);
  Workload drawn = watched([&] {
    return sample_workload(self.workload(), batched ? Sampling::kBatched : Sampling::kBernoulli,
                           kept, drawn_with);
  });
  if (drawn.rows.empty()) {
    throw ConfigError(fmt::format(
        "a draw with probability {} and seed {} keeps no request, expected a larger probability or "
        "another seed",
        kept, drawn_with));
  }
  return PythonWorkload(std::move(drawn), self.unit());
}

py::object info(const PythonWorkload& self, const py::object& host) {
  std::optional<ResourceVector> total;
  if (!host.is_none()) total = read_host(host, "host");
  const std::string json = watched([&] {
    return workload_info_json(self.workload(), describe_workload(self.workload(), total));
  });
  return py::module_::import("json").attr("loads")(to_str(json));
}

void save(const PythonWorkload& self, const py::object& path, const py::object& schema) {
  const std::filesystem::path file = read_path(path, "path");
  const WorkloadSchema written = find_workload_schema(read_text(schema, "schema"));
  run_watched([&] { write_workload(self.workload(), file, written, self.unit()); });
}

PythonWorkload from_columns(const py::dict& columns, const py::object& name,
                            const py::object& window_us, const py::object& window_days) {
  const std::optional<SimTime> window = read_window(window_us, window_days);
  return PythonWorkload(workload_from_columns(columns, read_text(name, "name"), window));
}

PythonWorkload from_pandas(const py::object& frame, const py::object& name,
                           const py::object& window_us, const py::object& window_days,
                           const py::object& window_start) {
  const py::object frame_type = py::module_::import("pandas").attr("DataFrame");
  if (!py::isinstance(frame, frame_type)) {
    throw ArgumentError("frame is of type " + type_name(frame) + ", expected a pandas DataFrame");
  }
  const py::dict columns = py::module_::import("cospot.provider.workload_frames")
                               .attr("workload_columns")(frame, window_start);
  return from_columns(columns, name, window_us, window_days);
}

/// Takes whatever holds columns; pandas reads it.
PythonWorkload from_frame(const py::object& frame, const py::object& name,
                          const py::object& window_us, const py::object& window_days,
                          const py::object& window_start) {
  const py::object read = py::module_::import("cospot.frames").attr("as_pandas")(frame);
  return from_pandas(read, name, window_us, window_days, window_start);
}

/// Its columns as what a function of cospot.frames makes of them.
py::object as_frame(const PythonWorkload& self, const char* function) {
  return py::module_::import("cospot.frames").attr(function)(columns_of(self.workload()));
}

PythonWorkload with_window_days(const PythonWorkload& self, const py::object& window_days) {
  const std::optional<SimTime> window = read_window_days(window_days);
  if (!window.has_value()) throw ConfigError("window_days is None, expected a number of days");
  const py::gil_scoped_release unlocked;
  Workload copy = self.workload();
  state_window(copy, *window);
  return PythonWorkload(std::move(copy), self.unit());
}

void bind_making(py::class_<PythonWorkload>& workload) {
  workload
      .def_static("load", &load, "path"_a, py::kw_only(), "window_days"_a = py::none(), R"doc(
Read a workload file: CSV, plain or gzip, recognised by its header (docs/workload-format.md).

Args:
    path: The file.
    window_days: Length of the window in which instances earn, days; None: as the file states it, or
        derived from its requests.

Raises:
    WorkloadError: The file cannot be used; the text starts with file:line:.
)doc")
      .def_static("generate", &generate, "model"_a = "azure2020", py::kw_only(), "seed"_a = 1,
                  "scale"_a = 0.01, "sampling"_a = "batched", "window_days"_a = py::none(), R"doc(
Generate a synthetic workload like a real zone's (docs/synthetic-workload.md).

Args:
    model: azure2020.
    seed: Of the draws, 0 to 2**63 - 1; the same seed gives the same workload on every machine.
    scale: Part of the zone, 0.0001 to 1 (about 5.2 million requests).
    sampling: batched: whole batches, with their bursts; bernoulli: single requests.
    window_days: Length of the window in which instances earn, days; 14 when None.

Raises:
    ConfigError: An argument cannot be used.
)doc")
      .def_static("from_columns", &from_columns, "columns"_a, py::kw_only(), "name"_a = "columns",
                  "window_us"_a = py::none(), "window_days"_a = py::none(), R"doc(
Make a workload from arrays, one entry a request.

Args:
    columns: dict of arrays or sequences, shape (n,), n >= 1. Required: is_spot (bool), vcpus (from
        1), memory_mb (MiB), start_us, end_us (microseconds since the window's start; NEVER_US:
        never ended). Optional: instance_id (names or numbers, unique), tenant_id, disk_gb (GB), and
        what a request asks beside room, as in workload files, empty or None for nothing: zone,
        extra_specs, group, group_policy, max_server_per_host.
    name: What results call it.
    window_us: Length of the window in which instances earn, microseconds; derived from the requests
        when neither it nor window_days is given (docs/semantics.md).
    window_days: The same in days.

Raises:
    WorkloadError: A column is missing, unknown or of another length, or a value cannot be used.
)doc")
      .def_static("from_pandas", &from_pandas, "frame"_a, py::kw_only(), "name"_a = "frame",
                  "window_us"_a = py::none(), "window_days"_a = py::none(),
                  "window_start"_a = py::none(), R"doc(
Make a workload from a pandas DataFrame, whose columns are called as in from_columns or as in a
workload file.

Args:
    frame: instance_id, tenant_id, disk_gb, and zone, extra_specs, group, group_policy and
        max_server_per_host if need be; vcpus; memory_mb; is_spot, or class ("vm" or
        "spot"); the start as start_us, start_s or start; the end as end_us, end_s, end, duration_s
        or duration. start, end and duration hold datetimes or timedeltas (start_s and end_s may as
        well): a start that is a timedelta counts from the window's start, a datetime without a zone
        is UTC. An end that is empty, NaT, NaN, infinite or "never" was never seen.
    name: What results call it.
    window_us: As in from_columns.
    window_days: The same in days.
    window_start: Where times are datetimes: when the window starts; the first start when None.

Raises:
    WorkloadError: As from_columns; a time comes in two forms, or in none.
    ImportError: pandas is not installed.
)doc")
      .def_static("from_frame", &from_frame, "frame"_a, py::kw_only(), "name"_a = "frame",
                  "window_us"_a = py::none(), "window_days"_a = py::none(),
                  "window_start"_a = py::none(), R"doc(
Make a workload from any data frame: of pandas, polars, pyarrow (a Table or RecordBatch), or another
that has `to_pandas`, the Arrow C stream or the interchange protocol.

Args:
    frame: Columns as in from_pandas.
    name: What results call it.
    window_us: As in from_columns.
    window_days: The same in days.
    window_start: As in from_pandas.

Raises:
    ArgumentError: It is no data frame.
    WorkloadError: As from_pandas.
    ImportError: pandas is not installed.
)doc");
}

void bind_using(py::class_<PythonWorkload>& workload) {
  workload
      .def("sample", &sample, "probability"_a, py::kw_only(), "batched"_a = false, "seed"_a = 1,
           R"doc(
Draw a smaller workload.

Args:
    probability: Of keeping a request, or a batch, more than 0 and at most 1.
    batched: Keep neighbouring requests of one tenant and class together.
    seed: Of the draw.

Raises:
    ConfigError: An argument cannot be used, or the draw keeps no request.

Source: CoSpot, section 4.2.
)doc")
      .def("info", &info, "host"_a = py::none(), R"doc(
Describe it: counts, peaks, lifetimes, revenue, flavors, arrivals.

Args:
    host: Totals of a host, to tell how many hosts the peaks need: a ResourceVector or a tuple
        (vcpus, memory_mb[, disk_gb]).

Returns:
    What `cospot workload info --json` prints, as dicts and lists. Times in seconds where the name
    ends in _s.
)doc")
      .def("save", &save, "path"_a, "schema"_a = "cospot", R"doc(
Write it as CSV, gzip-compressed if the path ends in .gz, all or nothing.

Args:
    path: File to write.
    schema: cospot (its own) or socc22 (the CoSpot release's).

Raises:
    WorkloadError: The file cannot be written or the schema cannot hold a row.
)doc")
      .def(
          "to_columns", [](const PythonWorkload& self) { return columns_of(self.workload()); },
          R"doc(
Return it as a dict of arrays, shape (n,): instance_id and tenant_id (str objects), is_spot (bool),
vcpus, memory_mb, disk_gb (int32), start_us, end_us (int64; NEVER_US: never ended).
)doc")
      .def(
          "to_pandas",
          [](const PythonWorkload& self) {
            return py::module_::import("pandas").attr("DataFrame")(columns_of(self.workload()));
          },
          "Return it as a pandas DataFrame with the columns of to_columns().")
      .def(
          "to_polars", [](const PythonWorkload& self) { return as_frame(self, "to_polars"); },
          "Return it as a polars DataFrame with the columns of to_columns().")
      .def(
          "to_arrow", [](const PythonWorkload& self) { return as_frame(self, "to_arrow"); },
          "Return it as a pyarrow Table with the columns of to_columns().");
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

}  // namespace

void bind_workloads(py::module_& core) {
  py::class_<PythonWorkload> workload(core, "Workload", R"doc(
Requests over time, in file order, and the window in which they earn. Never changes.

Workloads are equal if their requests, window and unit are, whatever their names and digests.
)doc");
  bind_making(workload);
  bind_using(workload);
  bind_windows(workload);
  bind_rows(workload);
  workload
      .def_property_readonly(
          "name", [](const PythonWorkload& self) { return to_str(self.workload().name); },
          "What results call it.")
      .def_property_readonly(
          "sha256", [](const PythonWorkload& self) { return self.workload().sha256; },
          "SHA-256 of its file's bytes, or of its recipe.")
      .def(
          "__len__", [](const PythonWorkload& self) { return self.workload().rows.size(); },
          "Return the number of requests.")
      .def(
          "__repr__",
          [](const PythonWorkload& self) {
            return to_str(fmt::format("<Workload {}: {} requests>", self.workload().name,
                                      self.workload().rows.size()));
          },
          "Return what it is.");
}

}  // namespace cospot::bindings
