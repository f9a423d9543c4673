// Raises the exceptions of core/errors.hpp as those of cospot.errors, with the same text.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/python_error.hpp"
#include "core/errors.hpp"
#include "core/nearest_name.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

void raise(const char* type_name, const std::exception& error, const SharedPython& cause = {}) {
  const py::object type = py::module_::import("cospot.errors").attr(type_name);
  const py::object raised = type(to_str(with_argument_names(error.what())));
  if (cause != nullptr) raised.attr("__cause__") = *cause;
  PyErr_SetObject(type.ptr(), raised.ptr());
}

// pybind11 calls it with the pointer by value.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const RaisedByPolicy& error) {
    raise("PolicyError", error, error.cause());
  } catch (const RaisedByLoading& error) {
    raise("ConfigError", error, error.cause());
  } catch (const ArgumentError& error) {
    raise("ArgumentError", error);
  } catch (const ConfigError& error) {
    raise("ConfigError", error);
  } catch (const WorkloadError& error) {
    raise("WorkloadError", error);
  } catch (const DatabaseError& error) {
    raise("DatabaseError", error);
  } catch (const InputError& error) {
    raise("InputError", error);
  } catch (const PolicyError& error) {
    raise("PolicyError", error);
  } catch (const std::filesystem::filesystem_error& error) {
    raise("InputError", error);  // a name that is too long, a folder without access
  }
}

/// "my_policies.py:12" of the frame that raised; empty without one.
std::string innermost_place(const py::error_already_set& error) {
  py::object frame = error.trace();
  if (!frame || frame.is_none()) return {};
  while (!frame.attr("tb_next").is_none()) frame = frame.attr("tb_next");
  const std::filesystem::path file(
      std::string(py::str(frame.attr("tb_frame").attr("f_code").attr("co_filename"))));
  return fmt::format("{}:{}", file.filename().string(), frame.attr("tb_lineno").cast<int>());
}

}  // namespace

std::string describe(const py::error_already_set& error) {
  std::string text = error.type().attr("__name__").cast<std::string>();
  try {
    std::string message = py::str(error.value());
    std::replace(message.begin(), message.end(), '\n', ' ');
    if (!message.empty()) text += ": " + message;
    // A syntax error says its place itself; its frames are those of the importing machinery.
    if (error.matches(PyExc_SyntaxError)) return text;
    if (const std::string place = innermost_place(error); !place.empty())
      text += " (" + place + ")";
  } catch (const py::error_already_set&) {
    // An exception whose own text cannot be had is known by its type.
  } catch (const py::cast_error&) {
  }
  return text;
}

bool is_policy_fault(const py::error_already_set& error) {
  return every_exception_is_told() || error.matches(PyExc_Exception);
}

bool& every_exception_is_told() {
  static bool is_told = false;
  return is_told;
}

void throw_loading_error(const std::string& policy, const py::error_already_set& error) {
  if (!is_policy_fault(error)) throw error;
  const py::object config_error = py::module_::import("cospot.errors").attr("ConfigError");
  const bool is_told = error.matches(config_error);
  const std::string text = is_told ? std::string(py::str(error.value()))
                                   : fmt::format("{}: {}", policy, describe(error));
  throw RaisedByLoading(text, share(error.value()));
}

void bind_errors(py::module_& core) {
  py::register_exception_translator(&translate);
  core.def(
      "_valid_names_text",
      [](const std::string& name, const std::vector<std::string>& names) {
        const std::vector<std::string_view> views(names.begin(), names.end());
        return valid_names_text(name, views);
      },
      "name"_a, "names"_a,
      "Return the end of an error about an unknown name: the nearest of the names, or all.");
}

}  // namespace cospot::bindings
