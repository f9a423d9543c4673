#pragma once

#include <pybind11/pybind11.h>

#include "sim_harness/base/json/json.hpp"

namespace cospot::bindings {

/// JSON as Python has it: dicts, lists, numbers, texts and None.
[[nodiscard]] pybind11::object to_python(const Json& json);

/// A result as a dataclass of a Python module, where its fields are documented: made of the JSON of
/// the command that has the same result (cospot.from_json).
[[nodiscard]] pybind11::object make_result(const char* module, const char* name, const Json& json);

}  // namespace cospot::bindings
