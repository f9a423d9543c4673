#include "bindings/python_host/python_error.hpp"

#include <algorithm>
#include <filesystem>

namespace cospot::python_host {
namespace {

namespace bp = boost::python;

bp::object owned(PyObject* object) {
  return object == nullptr ? bp::object() : bp::object(bp::handle<>(object));
}

/// str(object) on one line; what the object is when it has no text.
std::string text_of(const bp::object& object) {
  try {
    std::string text = bp::extract<std::string>(bp::str(object));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  } catch (const bp::error_already_set&) {
    PyErr_Clear();
    return "(its text cannot be had)";
  }
}

std::string innermost_place(bp::object traceback) {
  if (traceback.is_none()) return "";
  while (!bp::object(traceback.attr("tb_next")).is_none()) traceback = traceback.attr("tb_next");
  const bp::object code = traceback.attr("tb_frame").attr("f_code");
  const std::string file = bp::extract<std::string>(code.attr("co_filename"));
  const int line = bp::extract<int>(traceback.attr("tb_lineno"));
  return std::filesystem::path(file).filename().string() + ":" + std::to_string(line);
}

bool is_cospot_config_error(const bp::object& type) {
  const bp::object config_error = bp::import("cospot").attr("ConfigError");
  return PyErr_GivenExceptionMatches(type.ptr(), config_error.ptr()) != 0;
}

}  // namespace

std::string PythonError::text() const {
  return type + (message.empty() ? "" : ": " + message) + (place.empty() ? "" : " (" + place + ")");
}

PythonError take_python_error() {
  PyObject* raw_type = nullptr;
  PyObject* raw_value = nullptr;
  PyObject* raw_traceback = nullptr;
  PyErr_Fetch(&raw_type, &raw_value, &raw_traceback);
  PyErr_NormalizeException(&raw_type, &raw_value, &raw_traceback);
  const bp::object type = owned(raw_type);
  const bp::object value = owned(raw_value);
  const bp::object traceback = owned(raw_traceback);
  if (type.is_none()) return {.type = "SystemError", .message = "no exception", .place = ""};
  PythonError error{.type = "", .message = text_of(value), .place = ""};
  try {
    error.type = bp::extract<std::string>(type.attr("__name__"));
    // A syntax error says its place itself; its frames are those of the importing machinery.
    const bool is_syntax_error = PyErr_GivenExceptionMatches(type.ptr(), PyExc_SyntaxError) != 0;
    if (!is_syntax_error) error.place = innermost_place(traceback);
    error.is_config_error = is_cospot_config_error(type);
  } catch (const bp::error_already_set&) {
    PyErr_Clear();
  }
  return error;
}

}  // namespace cospot::python_host
