#pragma once

#include <pybind11/pybind11.h>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/results/column.hpp"

namespace cospot::bindings {

/// JSON as Python has it: dicts, lists, numbers, texts and None.
[[nodiscard]] pybind11::object to_python(const Json& json);

/// Revenue in vcpu-microseconds, which may be more than any C++ number that pybind11 knows.
[[nodiscard]] pybind11::int_ exact(Revenue revenue);
[[nodiscard]] Revenue revenue_of(const pybind11::object& exact);

/// The measures of a study: revenue in vcpu-seconds, None where there is no value.
[[nodiscard]] pybind11::object measured(const Value& value);

/// A result as a dataclass of a Python module, where its fields are documented: made of the JSON of
/// the command that has the same result (cospot.from_json).
[[nodiscard]] pybind11::object make_result(const char* module, const char* name, const Json& json);

}  // namespace cospot::bindings
