#include "bindings/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "core/errors.hpp"
#include "core/nearest_name.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

constexpr std::int64_t kMostItems = 10'000'000;  // as for hosts and OTN in sweep files

[[noreturn]] void throw_range(py::handle value, std::string_view name, std::string_view kind,
                              const std::string& least, const std::string& most) {
  throw ConfigError(fmt::format("{} is {}, expected {} from {} to {}", name,
                                std::string(py::str(value)), kind, least, most));
}

ResourceVector read_amounts(py::handle value, std::string_view name, ResourceAmount least) {
  if (py::isinstance<ResourceVector>(value)) {
    const auto amounts = value.cast<ResourceVector>();
    if (!(ResourceVector{least, least, 0}.fits_in(amounts))) {
      throw ConfigError(fmt::format("{} is ({}, {}, {}), expected amounts of at least ({}, {}, 0)",
                                    name, amounts.vcpus, amounts.memory_mb, amounts.disk_gb, least,
                                    least));
    }
    return amounts;
  }
  constexpr std::string_view kExpected =
      "a ResourceVector or a tuple (vcpus, memory_mb) or (vcpus, memory_mb, disk_gb)";
  if (!py::isinstance<py::tuple>(value) && !py::isinstance<py::list>(value)) {
    throw_type(value, name, kExpected);
  }
  const py::tuple parts(py::reinterpret_borrow<py::object>(value));
  if (parts.size() != 2 && parts.size() != 3) {
    throw ConfigError(fmt::format("{} has {} parts, expected {}", name, parts.size(), kExpected));
  }
  const std::string prefix(name);
  ResourceVector amounts{.vcpus = read_amount(parts[0], prefix + " vcpus", least),
                         .memory_mb = read_amount(parts[1], prefix + " memory_mb", least)};
  if (parts.size() == 3) amounts.disk_gb = read_amount(parts[2], prefix + " disk_gb", 0);
  return amounts;
}

}  // namespace

std::int64_t read_integer(py::handle value, std::string_view name, std::int64_t least,
                          std::int64_t most) {
  if (PyBool_Check(value.ptr()) != 0 || PyIndex_Check(value.ptr()) == 0) {
    throw_type(value, name, "a whole number");
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();  // an array has an index, and refuses
    throw_type(value, name, "a whole number");
  }
  int overflow = 0;
  const std::int64_t read = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    // Python refuses to write out very long numbers.
    throw ConfigError(fmt::format("{} is too {}, expected a whole number from {} to {}", name,
                                  overflow > 0 ? "large" : "small", least, most));
  }
  if (read < least || read > most) {
    throw_range(number, name, "a whole number", std::to_string(least), std::to_string(most));
  }
  return read;
}

std::uint32_t read_row(py::handle value, std::string_view name, std::size_t rows,
                       std::string_view noun) {
  const std::int64_t read = read_integer(value, name, 0, UINT32_MAX - 1);
  if (read < static_cast<std::int64_t>(rows)) return static_cast<std::uint32_t>(read);
  throw py::index_error(fmt::format("{} is {}, but there are {} {}", name, read, rows, noun));
}

std::size_t read_position(py::handle index, std::size_t rows, std::string_view noun) {
  if (PyIndex_Check(index.ptr()) == 0) throw_type(index, "index", "a whole number");
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(index.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const auto size = static_cast<std::int64_t>(rows);
  std::int64_t at = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0 && at < 0) at += size;
  if (overflow == 0 && at >= 0 && at < size) return static_cast<std::size_t>(at);
  throw py::index_error(fmt::format("there are {} {}", rows, noun));
}

std::size_t read_count(py::handle value, std::string_view name, std::int64_t least) {
  return static_cast<std::size_t>(read_integer(value, name, least, kMostItems));
}

std::size_t read_threads(py::handle threads) {
  if (threads.is_none()) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(read_integer(threads, "threads", 1, 4096));
}

double read_any_number(py::handle value, std::string_view name) {
  if (PyBool_Check(value.ptr()) != 0 || PyNumber_Check(value.ptr()) == 0) {
    throw_type(value, name, "a number");
  }
  const double read = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
        PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
      throw py::error_already_set();
    }
    PyErr_Clear();
    throw_type(value, name, "a number");
  }
  return read;
}

double read_finite(py::handle value, std::string_view name) {
  const double read = read_any_number(value, name);
  if (!std::isfinite(read)) {
    throw ConfigError(fmt::format("{} is {}, expected a finite number", name, read));
  }
  return read;
}

double read_number(py::handle value, std::string_view name, double least, double most) {
  const double read = read_any_number(value, name);
  if (!(read >= least && read <= most)) {
    throw_range(py::float_(read), name, "a number", fmt::format("{}", least),
                fmt::format("{}", most));
  }
  return read;
}

InstanceIndex read_instance(py::handle value) {
  return static_cast<InstanceIndex>(read_integer(value, "instance", 0, UINT32_MAX - 1));
}

ResourceAmount read_amount(py::handle value, std::string_view name, ResourceAmount least) {
  return static_cast<ResourceAmount>(read_integer(value, name, least, kMaxResourceAmount));
}

ResourceVector read_resources(py::handle value, std::string_view name) {
  return read_amounts(value, name, 0);
}

ResourceVector read_host(py::handle value, std::string_view name) {
  return read_amounts(value, name, 1);
}

SimTime read_time(py::handle value, std::string_view name) {
  return SimTime(read_integer(value, name, -kMaxWorkloadTime.count(), kMaxWorkloadTime.count()));
}

SimTime read_end(py::handle value, std::string_view name) {
  const SimTime read(read_integer(value, name, INT64_MIN, INT64_MAX));
  return read == kNever ? kNever : read_time(value, name);
}

SimTime read_promised_until(py::handle value) {
  return value.is_none() ? kNoPromisedEnd : read_end(value, "promised_until_us");
}

std::string read_text(py::handle value, std::string_view name) {
  if (PyUnicode_Check(value.ptr()) == 0) throw_type(value, name, "a str");
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    throw ConfigError(fmt::format("{} is not a text: it has a lone surrogate", name));
  }
  return {text, static_cast<std::size_t>(size)};
}

void throw_type(py::handle value, std::string_view name, std::string_view expected) {
  throw ArgumentError(
      fmt::format("{} is of type {}, expected {}", name, type_name(value), expected));
}

std::vector<py::object> read_items(py::handle value, std::string_view name,
                                   std::string_view expected) {
  PyObject* const given = value.ptr();
  const bool is_no_list = PyUnicode_Check(given) != 0 || PyBytes_Check(given) != 0 ||
                          PyByteArray_Check(given) != 0 || PyDict_Check(given) != 0 ||
                          PyAnySet_Check(given) != 0;
  const auto iterator =
      py::reinterpret_steal<py::object>(is_no_list ? nullptr : PyObject_GetIter(given));
  if (!iterator) {
    if (!is_no_list && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    throw_type(value, name, fmt::format("a list of {}", expected));
  }
  std::vector<py::object> items;
  while (auto item = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
    if (items.size() == kMostItems) {
      throw ConfigError(
          fmt::format("{} has no end, expected at most {} of {}", name, kMostItems, expected));
    }
    items.push_back(std::move(item));
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return items;
}

std::vector<double> read_numbers(py::handle values, std::string_view name) {
  std::vector<double> numbers;
  for (const py::object& value : read_items(values, name, "numbers")) {
    numbers.push_back(read_any_number(value, fmt::format("{}[{}]", name, numbers.size())));
  }
  return numbers;
}

std::vector<std::string> read_names(py::handle given, std::string_view name,
                                    std::string_view example) {
  std::vector<std::string> names;
  for (const py::object& one :
       read_items(given, name, fmt::format("names, as [\"{}\"]", example))) {
    names.push_back(read_text(one, name));
  }
  return names;
}

std::vector<std::string> read_texts(py::handle given, std::string_view name) {
  // Arrays of NumPy, series of pandas and the like.
  if (py::hasattr(given, "tolist")) return read_texts(given.attr("tolist")(), name);
  const auto read_one = [&](py::handle one) {
    return PyIndex_Check(one.ptr()) != 0
               ? std::to_string(read_integer(one, name, INT64_MIN, INT64_MAX))
               : read_path(one, name).string();
  };
  if (!py::isinstance<py::list>(given) && !py::isinstance<py::tuple>(given) &&
      PyRange_Check(given.ptr()) == 0) {
    return {read_one(given)};
  }
  std::vector<std::string> texts;
  for (const py::handle one : given) texts.push_back(read_one(one));
  if (texts.empty()) throw ConfigError(std::string(name) + " is empty, expected one or more");
  return texts;
}

std::string saving_hint(py::handle value) {
  const bool is_workload = type_name(value) == "cospot._core.Workload";
  return is_workload ? "; WORKLOAD.save(PATH) writes such a file" : "";
}

std::filesystem::path read_path(py::handle value, std::string_view name) {
  const bool is_path = PyUnicode_Check(value.ptr()) != 0 || PyBytes_Check(value.ptr()) != 0 ||
                       py::hasattr(value, "__fspath__");
  if (!is_path) throw_type(value, name, "a path: str, bytes or os.PathLike" + saving_hint(value));
  PyObject* encoded = nullptr;
  // Also refuses paths with a zero character.
  if (PyUnicode_FSConverter(value.ptr(), &encoded) == 0) {
    if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw py::error_already_set();
    PyErr_Clear();
    throw ConfigError(
        fmt::format("{} is no path: it has a zero character or a lone surrogate", name));
  }
  const auto bytes = py::reinterpret_steal<py::bytes>(encoded);
  return {std::string(bytes)};
}

std::vector<HostIndex> read_candidates(py::handle value, std::size_t hosts) {
  const py::array array = py::array::ensure(value);
  if (!array || array.ndim() != 1 ||
      (array.size() > 0 && array.dtype().kind() != 'u' && array.dtype().kind() != 'i')) {
    PyErr_Clear();
    throw ArgumentError("candidates: expected an array of whole numbers, shape (m,)");
  }
  const auto rows = py::array_t<std::int64_t, py::array::forcecast>::ensure(array);
  if (!rows) throw py::error_already_set();
  std::vector<HostIndex> candidates;
  candidates.reserve(static_cast<std::size_t>(rows.size()));
  const auto read = rows.unchecked<1>();
  for (py::ssize_t i = 0; i < rows.size(); ++i) {
    if (read(i) < 0 || read(i) >= static_cast<std::int64_t>(hosts)) {
      throw py::index_error(
          fmt::format("candidates[{}] is {}, but there are {} hosts", i, read(i), hosts));
    }
    candidates.push_back(static_cast<HostIndex>(read(i)));
  }
  return candidates;
}

py::str to_str(std::string_view text) {
  auto decoded = py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  if (!decoded) throw py::error_already_set();
  return decoded;
}

std::string type_name(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

std::string a_type_name(py::handle value) {
  const std::string name = type_name(value);
  const bool has_vowel =
      std::string_view("aeiouAEIOU").find(name.front()) != std::string_view::npos;
  return (has_vowel ? "an " : "a ") + name;
}

void throw_unknown_argument(const char* function, const std::string& name,
                            const std::vector<std::string>& further) {
  const py::object signature = py::module_::import("inspect").attr("signature")(
      py::module_::import("cospot._core").attr(function));
  std::vector<std::string> names;
  const py::object keyword_dict =
      py::module_::import("inspect").attr("Parameter").attr("VAR_KEYWORD");
  for (const py::handle parameter : signature.attr("parameters").attr("values")()) {
    if (py::object(parameter.attr("kind")).equal(keyword_dict)) continue;
    names.push_back(parameter.attr("name").cast<std::string>());
  }
  names.insert(names.end(), further.begin(), further.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw ArgumentError(fmt::format("{}: there is no argument '{}'; {}", function, name,
                                  valid_names_text(name, views)));
}

namespace {

/// Options whose argument has another name, or that are switches.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kArgumentNames{
    {{"set", "overrides"},
     {"max-vm-loss", "max_vm_loss_percent"},
     {"with", "with_parts"},
     {"explain", "request_id"},
     {"explain-all", "all_hosts=True"},
     {"resume", "resume=True"},
     {"force", "force=True"},
     {"timeline", "timeline=True"}}};

std::string argument_name(std::string_view option) {
  for (const auto& [name, argument] : kArgumentNames) {
    if (option == name) return std::string(argument);
  }
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Tells whether text that ends here is a command, to which the next word belongs.
bool is_in_command(std::string_view before) {
  if (std::ranges::count(before, '`') % 2 == 1) return true;
  const std::size_t clause = before.find_last_of(";:(),`");
  return before.substr(clause == std::string_view::npos ? 0 : clause).find("cospot ") !=
         std::string_view::npos;
}

}  // namespace

std::string with_argument_names(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  std::string said;
  std::size_t done = 0;
  for (std::size_t at = text.find("--"); at != std::string_view::npos;
       at = text.find("--", at + 2)) {
    const std::size_t end = std::min(text.find_first_not_of(kLetters, at + 2), text.size());
    const bool is_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    // Text in quotes is somebody's value.
    if (!is_word || end == at + 2 || text[at + 2] == '-' || is_in_command(text.substr(0, at))) {
      continue;
    }
    said += text.substr(done, at - done);
    said += argument_name(text.substr(at + 2, end - at - 2));
    done = end;
  }
  return said += text.substr(done);
}

std::vector<std::string> read_price_texts(const py::object& price) {
  if (!py::isinstance<py::dict>(price)) return {read_path(price, "price").string()};
  std::vector<std::string> texts;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(price)) {
    std::string name = read_text(key, "a key of price");
    if (name == "on_demand") name = "on-demand";
    texts.push_back(name + "=" + read_text(py::str(value), "price[" + name + "]"));
  }
  if (texts.empty()) throw ConfigError("price is empty, expected on_demand and spot");
  return texts;
}

}  // namespace cospot::bindings
