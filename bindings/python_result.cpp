#include "bindings/python_result.hpp"

#include <cstdint>
#include <string>
#include <variant>

#include "bindings/arguments.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {
constexpr int kHalfBits = 64;
}  // namespace

py::object to_python(const Json& json) {
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_float()) return py::float_(json.get<double>());
  if (json.is_number()) return py::int_(json.get<std::int64_t>());
  if (json.is_string()) return to_str(json.get_ref<const std::string&>());
  if (json.is_array()) {
    py::list values;
    for (const Json& value : json) values.append(to_python(value));
    return values;
  }
  if (!json.is_object()) return py::none();
  py::dict members;
  for (const auto& [key, value] : json.items()) members[to_str(key)] = to_python(value);
  return members;
}

py::int_ exact(Revenue revenue) {
  const auto low = static_cast<std::uint64_t>(revenue);
  const auto high = static_cast<std::int64_t>(revenue >> kHalfBits);
  return py::int_((py::int_(high) << py::int_(kHalfBits)) | py::int_(low));
}

Revenue revenue_of(const py::object& exact) {
  const auto high = (exact >> py::int_(kHalfBits)).cast<std::int64_t>();
  const auto low = (exact & py::int_(UINT64_MAX)).cast<std::uint64_t>();
  return (Revenue{high} << kHalfBits) | Revenue{low};
}

py::object measured(const Value& value) {
  constexpr double kMicroseconds = 1e6;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return py::int_(*count);
  if (const auto* number = std::get_if<double>(&value)) return py::float_(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return to_str(*text);
  if (const auto* revenue = std::get_if<Revenue>(&value)) {
    return py::float_(static_cast<double>(*revenue) / kMicroseconds);
  }
  return py::none();
}

py::object make_result(const char* module, const char* name, const Json& json) {
  return py::module_::import("cospot.from_json")
      .attr("from_json")(py::module_::import(module).attr(name), to_python(json));
}

}  // namespace cospot::bindings
