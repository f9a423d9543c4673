#include "bindings/workload_columns.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/data/workloads/placement_fields.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

constexpr std::array<const char*, 5> kRequired{"is_spot", "vcpus", "memory_mb", "start_us",
                                               "end_us"};
constexpr std::array<const char*, 8> kOptional{"instance_id",  "tenant_id",          "disk_gb",
                                               "zone",         "extra_specs",        "group",
                                               "group_policy", "max_server_per_host"};
/// The demands of requests besides room, as in a workload file.
constexpr std::array<std::pair<const char*, WorkloadColumn>, 5> kPlacement{
    {{"zone", WorkloadColumn::kZone},
     {"extra_specs", WorkloadColumn::kExtraSpecs},
     {"group", WorkloadColumn::kGroup},
     {"group_policy", WorkloadColumn::kGroupPolicy},
     {"max_server_per_host", WorkloadColumn::kMaxServerPerHost}}};

/// The numbers of one column.
template <class T, class Get>
py::array_t<T> numbers(const Workload& workload, const Get& get) {
  py::array_t<T> column(static_cast<py::ssize_t>(workload.rows.size()));
  std::transform(workload.rows.begin(), workload.rows.end(), column.mutable_data(), get);
  return column;
}

template <class Get>
py::object texts(const Workload& workload, const Get& get) {
  py::list list;
  for (const WorkloadRow& row : workload.rows) list.append(to_str(get(row)));
  return py::module_::import("numpy").attr("array")(list, "object");
}

/// Reads the columns of one dict, all of one length.
class ColumnReader {
 public:
  explicit ColumnReader(const py::dict& columns) : columns_(columns) {
    check_names();
    count_ = array_of("vcpus").size();
    if (count_ == 0) throw WorkloadError("columns: there are no requests");
    if (count_ >= UINT32_MAX) throw WorkloadError("columns: more requests than 2^32 - 2");
  }

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(count_); }

  /// Whole numbers, also as floats, in [least, most] or equal to `other`.
  [[nodiscard]] std::vector<std::int64_t> integers(const char* name, std::int64_t least,
                                                   std::int64_t most,
                                                   std::int64_t other = 0) const {
    const py::array array = array_of(name);
    const char kind = array.dtype().kind();
    if (kind == 'f') return from_floats(array, name, least, most);
    if (kind != 'i' && kind != 'u' && kind != 'b') {
      throw WorkloadError(fmt::format("columns: {} has the type {}, expected whole numbers", name,
                                      std::string(py::str(array.dtype()))));
    }
    const auto column =
        py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
    if (!column) throw py::error_already_set();
    for (py::ssize_t i = 0; i < count_; ++i) {
      const std::int64_t value = column.data()[i];
      if ((value < least || value > most) && (other == 0 || value != other)) {
        throw_value(name, i, std::to_string(value), least, most);
      }
    }
    return {column.data(), column.data() + count_};
  }

  /// Names, or numbers that are taken for names; without the column what `fallback` says.
  template <class Fallback>
  [[nodiscard]] std::vector<std::string> names(const char* name, const Fallback& fallback) const {
    std::vector<std::string> read;
    if (!columns_.contains(name)) {
      for (std::size_t i = 0; i < count(); ++i) read.push_back(fallback(i));
      return read;
    }
    const py::list values = array_of(name).attr("tolist")();
    for (const py::handle value : values) {
      const bool is_number = PyLong_Check(value.ptr()) != 0;
      if (!is_number && !py::isinstance<py::str>(value)) {
        throw WorkloadError(fmt::format("columns: {}[{}] is of type {}, expected a name", name,
                                        read.size(), type_name(value)));
      }
      const std::string where = fmt::format("columns: {}[{}]", name, read.size());
      read.push_back(is_number ? std::string(py::str(value)) : read_text(value, where));
      check_name(read.back(), where);
    }
    return read;
  }

  /// Texts as a workload file has them; empty for None, NaN, NA and where there is no column.
  [[nodiscard]] std::vector<std::string> fields(const char* name) const {
    std::vector<std::string> read;
    if (!columns_.contains(name)) return std::vector<std::string>(count());
    const py::list values = array_of(name).attr("tolist")();
    for (const py::handle value : values) {
      const std::string where = fmt::format("columns: {}[{}]", name, read.size());
      if (py::isinstance<py::str>(value)) {
        read.push_back(read_text(value, where));
        if (!read.back().empty()) check_name(read.back(), where);
      } else if (is_missing(value)) {
        read.emplace_back();
      } else {
        read.push_back(fmt::format("{}", read_integer(whole(value), where, 1, kMaxResourceAmount)));
      }
    }
    return read;
  }

 private:
  [[nodiscard]] static bool is_missing(py::handle value) {
    if (PyFloat_Check(value.ptr()) != 0) return std::isnan(value.cast<double>());
    return value.is_none() || type_name(value) == "NAType";
  }

  /// 2.0 is what pandas makes of 2 in a column with gaps.
  [[nodiscard]] static py::object whole(py::handle value) {
    if (PyFloat_Check(value.ptr()) != 0 && value.attr("is_integer")().cast<bool>()) {
      return py::int_(py::reinterpret_borrow<py::object>(value));
    }
    return py::reinterpret_borrow<py::object>(value);
  }

  void check_names() const {
    const auto is_known = [](const auto& known, std::string_view name) {
      return std::find(known.begin(), known.end(), name) != known.end();
    };
    for (const char* name : kRequired) {
      if (!columns_.contains(name)) {
        throw WorkloadError(fmt::format("columns: the column '{}' is missing", name));
      }
    }
    for (const auto& [key, column] : columns_) {
      const std::string name = read_text(key, "column");
      if (is_known(kRequired, name) || is_known(kOptional, name)) continue;
      throw WorkloadError(fmt::format(
          "columns: unknown column '{}'; valid names: instance_id, tenant_id, is_spot, vcpus, "
          "memory_mb, disk_gb, start_us, end_us, zone, extra_specs, group, group_policy, "
          "max_server_per_host",
          name));
    }
  }

  [[nodiscard]] py::array array_of(const char* name) const {
    const py::array array = py::array::ensure(columns_[name]);
    if (!array || array.ndim() != 1) {
      PyErr_Clear();
      throw WorkloadError(fmt::format("columns: {} is not one-dimensional", name));
    }
    if (count_ >= 0 && array.size() != count_) {
      throw WorkloadError(
          fmt::format("columns: {} has {} values, but vcpus has {}", name, array.size(), count_));
    }
    return array;
  }

  [[nodiscard]] std::vector<std::int64_t> from_floats(const py::array& array, const char* name,
                                                      std::int64_t least, std::int64_t most) const {
    const auto column =
        py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
    if (!column) throw py::error_already_set();
    std::vector<std::int64_t> values;
    for (py::ssize_t i = 0; i < count_; ++i) {
      const double value = column.data()[i];
      const bool is_fit = value == std::floor(value) && value >= static_cast<double>(least) &&
                          value <= static_cast<double>(most);
      if (!is_fit) throw_value(name, i, fmt::format("{}", value), least, most);
      values.push_back(static_cast<std::int64_t>(value));
    }
    return values;
  }

  [[noreturn]] static void throw_value(const char* name, py::ssize_t row, const std::string& value,
                                       std::int64_t least, std::int64_t most) {
    throw WorkloadError(fmt::format("columns: {}[{}] is {}, expected a whole number from {} to {}",
                                    name, row, value, least, most));
  }

  static void check_name(const std::string& name, const std::string& where) {
    const bool is_fit = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
      return c == ',' || c == '"' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (is_fit) return;
    throw WorkloadError(fmt::format(
        "{} is '{}', expected a name without commas, quotation marks and control characters", where,
        name));
  }

  const py::dict& columns_;
  py::ssize_t count_ = -1;
};

void check_ids(const std::vector<WorkloadRow>& rows) {
  std::unordered_set<std::string_view> ids;  // never iterated
  ids.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (ids.insert(rows[i].id).second) continue;
    throw WorkloadError(fmt::format(
        "columns: instance_id[{}] is '{}' as an earlier one, expected unique ids", i, rows[i].id));
  }
}

/// Adds what the requests ask beside room.
void read_placements(const ColumnReader& reader, const py::dict& columns, Workload& workload) {
  if (std::ranges::none_of(kPlacement,
                           [&](const auto& column) { return columns.contains(column.first); })) {
    return;
  }
  std::array<std::vector<std::string>, kPlacement.size()> texts;
  for (std::size_t c = 0; c < kPlacement.size(); ++c) texts[c] = reader.fields(kPlacement[c].first);
  PlacementFieldsReader placements;
  WorkloadFields fields{};
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    for (std::size_t c = 0; c < kPlacement.size(); ++c) {
      fields[static_cast<std::size_t>(kPlacement[c].second)] = texts[c][i];
    }
    const std::string fault = placements.read(fields, workload.rows[i]);
    if (!fault.empty()) throw WorkloadError(fmt::format("columns: row {}: {}", i, fault));
  }
  workload.placements = placements.take();
}

}  // namespace

std::vector<std::string> placement_texts(const Workload& workload, const WorkloadRow& row) {
  std::vector<std::string> texts;
  std::string text = placement_fields(row, workload.placements);
  for (std::size_t c = 0; c < kPlacement.size(); ++c) {
    const std::size_t end = std::min(text.find(',', 1), text.size());
    texts.push_back(text.substr(1, end - 1));
    text.erase(0, end);
  }
  return texts;
}

py::dict columns_of(const Workload& workload) {
  py::dict columns;
  columns["instance_id"] = texts(workload, [](const WorkloadRow& row) { return row.id; });
  columns["tenant_id"] = texts(workload, [](const WorkloadRow& row) { return row.tenant; });
  columns["is_spot"] =
      numbers<bool>(workload, [](const WorkloadRow& row) { return row.is_spot(); });
  const auto amounts = [&](auto get) { return numbers<ResourceAmount>(workload, get); };
  columns["vcpus"] = amounts([](const WorkloadRow& row) { return row.resources.vcpus; });
  columns["memory_mb"] = amounts([](const WorkloadRow& row) { return row.resources.memory_mb; });
  columns["disk_gb"] = amounts([](const WorkloadRow& row) { return row.resources.disk_gb; });
  const auto times = [&](auto get) { return numbers<std::int64_t>(workload, get); };
  columns["start_us"] = times([](const WorkloadRow& row) { return row.start.count(); });
  columns["end_us"] = times([](const WorkloadRow& row) { return row.end.count(); });
  if (workload.placements.empty()) return columns;
  for (std::size_t c = 0; c < kPlacement.size(); ++c) {
    columns[kPlacement[c].first] =
        texts(workload, [&](const WorkloadRow& row) { return placement_texts(workload, row)[c]; });
  }
  return columns;
}

Workload workload_from_columns(const py::dict& columns, std::string name,
                               const std::optional<SimTime>& window) {
  const ColumnReader reader(columns);
  constexpr std::int64_t kMostTime = kMaxWorkloadTime.count();
  const auto ids = reader.names("instance_id", [](std::size_t i) { return std::to_string(i); });
  const auto tenants = reader.names("tenant_id", [](std::size_t) { return std::string("0"); });
  const auto is_spot = reader.integers("is_spot", 0, 1);
  const auto vcpus = reader.integers("vcpus", 1, kMaxResourceAmount);
  const auto memory_mb = reader.integers("memory_mb", 0, kMaxResourceAmount);
  const auto disk_gb = columns.contains("disk_gb")
                           ? reader.integers("disk_gb", 0, kMaxResourceAmount)
                           : std::vector<std::int64_t>(reader.count(), 0);
  const auto start = reader.integers("start_us", -kMostTime, kMostTime);
  const auto end = reader.integers("end_us", -kMostTime, kMostTime, kNever.count());
  Workload workload{.name = std::move(name)};
  workload.rows.reserve(reader.count());
  for (std::size_t i = 0; i < reader.count(); ++i) {
    if (end[i] < start[i]) {
      throw WorkloadError(
          fmt::format("columns: end_us[{}] {} is before start_us[{}] {}", i, end[i], i, start[i]));
    }
    workload.rows.push_back(
        {.id = ids[i],
         .tenant = tenants[i],
         .resources = {static_cast<ResourceAmount>(vcpus[i]),
                       static_cast<ResourceAmount>(memory_mb[i]),
                       static_cast<ResourceAmount>(disk_gb[i])},
         .instance_class = is_spot[i] != 0 ? InstanceClass::kSpot : InstanceClass::kVm,
         .start = SimTime(start[i]),
         .end = SimTime(end[i])});
  }
  check_ids(workload.rows);
  read_placements(reader, columns, workload);
  workload.window = derive_window(workload.rows);
  state_window(workload, window);
  workload.sha256 = sha256_hex(format_workload(workload, WorkloadSchema::kCospot));
  return workload;
}

}  // namespace cospot::bindings
