// Gives the bound functions and methods what Python's own have: a signature, an error that names
// the argument, and (functions) a name that they are pickled by.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bindings/bindings.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

/// The parts of a definition that do not depend on its arguments.
using AnyCall = void (*)();

/// The C++ function that one of Python's calls is passed on to.
struct BoundCall {
  AnyCall call = nullptr;
  PyObject* self = nullptr;
  std::string name;        ///< "simulate", "Chain.rank"
  std::string parameters;  ///< "(workload, *, hosts=None)"
};

/// By the `self` that Python passes. The module is never unloaded, so nothing is ever freed.
std::unordered_map<PyObject*, BoundCall>& bound_calls() {
  static auto* const calls = new std::unordered_map<PyObject*, BoundCall>();
  return *calls;
}

/// Repeats a call that used a former name of an argument; otherwise replaces a TypeError of
/// pybind11's about arguments by ours. Returns the result of the call, null for an error.
PyObject* name_the_argument(const BoundCall& bound, const py::handle& args,
                            const py::dict& kwargs) {
  const py::error_already_set raised;
  try {
    const auto errors = py::module_::import("cospot.argument_errors");
    const py::object current =
        errors.attr("with_current_names")(errors.attr("parameter_names")(bound.parameters), kwargs);
    if (!current.is_none()) {
      const py::object function = py::module_::import("cospot._core").attr(bound.name.c_str());
      return PyObject_Call(function.ptr(), args.ptr(), current.ptr());
    }
    const py::object told =
        errors.attr("argument_error")(bound.name, bound.parameters, args, kwargs, raised.value());
    PyErr_SetObject(py::type::of(told).ptr(), told.ptr());
  } catch (py::error_already_set& error) {
    error.restore();
  }
  return nullptr;
}

bool is_about_arguments(PyObject* result) {
  return result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0;
}

/// Calls pybind11, which throws through Python's own frames, so ends the process, where it cannot
/// write a keyword into its TypeError: one with a lone surrogate.
template <class Call>
PyObject* result_of(const BoundCall& bound, const Call& call) {
  try {
    return call();
  } catch (const py::error_already_set&) {
    const std::string method = bound.name.substr(bound.name.rfind('.') + 1);
    PyErr_SetString(PyExc_TypeError, (method + "(): incompatible function arguments").c_str());
    return nullptr;
  }
}

/// METH_VARARGS | METH_KEYWORDS: pybind11 before 3.1.
PyObject* pass_on(PyObject* self, PyObject* args, PyObject* kwargs) {
  const BoundCall& bound = bound_calls().at(self);
  PyObject* result = result_of(bound, [&] {
    return reinterpret_cast<PyCFunctionWithKeywords>(bound.call)(bound.self, args, kwargs);
  });
  if (!is_about_arguments(result)) return result;
  return name_the_argument(
      bound, args, kwargs == nullptr ? py::dict() : py::reinterpret_borrow<py::dict>(kwargs));
}

/// METH_FASTCALL | METH_KEYWORDS, pybind11 from 3.1: the values of the keywords `names` come after
/// the `count` positional ones.
PyObject* pass_on_vector(PyObject* self, PyObject* const* values, Py_ssize_t count,
                         PyObject* names) {
  const BoundCall& bound = bound_calls().at(self);
  PyObject* result = result_of(bound, [&] {
    return reinterpret_cast<_PyCFunctionFastWithKeywords>(bound.call)(bound.self, values, count,
                                                                      names);
  });
  if (!is_about_arguments(result)) return result;
  const auto positional = static_cast<std::size_t>(count);
  py::tuple args(positional);
  for (std::size_t i = 0; i < positional; ++i) args[i] = py::handle(values[i]);
  py::dict kwargs;
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    kwargs[py::handle(PyTuple_GET_ITEM(names, i))] = py::handle(values[count + i]);
  }
  return name_the_argument(bound, args, kwargs);
}

/// The value that takes its place in a definition; null when the arguments come in a way unknown
/// here.
AnyCall passing_on(const PyMethodDef& definition) {
  switch (definition.ml_flags) {
    case METH_VARARGS | METH_KEYWORDS:
      return reinterpret_cast<AnyCall>(&pass_on);
    case METH_FASTCALL | METH_KEYWORDS:
      return reinterpret_cast<AnyCall>(&pass_on_vector);
    default:
      return nullptr;
  }
}

/// Reads pybind11's line "name(self: Class, top: object = None) -> Result" without the types:
/// "(self, top=None)". Empty for another text.
std::string parameters_of(std::string_view line) {
  const std::size_t open = line.find('(');
  if (open == std::string_view::npos) return {};
  std::string parameters;
  bool is_type = false;
  char quote = 0;
  int depth = 0;
  for (const char c : line.substr(open)) {
    const bool is_outside = quote == 0 && depth == 1;
    if (quote == c) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote == 0 && (c == ')' || c == ']')) {
      --depth;
    } else if (quote == 0 && (c == '(' || c == '[')) {
      ++depth;
    }
    if (is_outside && c == ':') is_type = true;
    if (is_outside && (c == '=' || c == ',' || c == ')')) is_type = false;
    if (is_outside && c == '=') {
      parameters += '=';
    } else if (!is_type && (c != ' ' || !is_outside)) {
      parameters += c;
      if (is_outside && c == ',') parameters += ' ';
    }
    if (depth == 0) return parameters;
  }
  return {};
}

PyMethodDef& definition_of(const py::handle& function) {
  return *reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
}

/// Writes a docstring the way in which CPython finds a signature in it. Returns the parameters.
std::string give_signature(PyMethodDef& definition) {
  const std::string_view doc = definition.ml_doc == nullptr ? "" : definition.ml_doc;
  const std::size_t end = std::min(doc.find('\n'), doc.size());
  std::string parameters = parameters_of(doc.substr(0, end));
  if (parameters.empty()) return {};
  std::string_view text = doc.substr(end);
  text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  // pybind11 frees the text with std::free, if ever.
  definition.ml_doc = strdup(
      (std::string(definition.ml_name) + parameters + "\n--\n\n" + std::string(text)).c_str());
  return parameters;
}

void describe_function(const py::module_& core, const py::handle& key, const py::handle& function) {
  PyMethodDef& definition = definition_of(function);
  const AnyCall instead = passing_on(definition);
  if (instead == nullptr) return;
  BoundCall bound{.call = reinterpret_cast<AnyCall>(definition.ml_meth),
                  .self = PyCFunction_GET_SELF(function.ptr()),
                  .name = definition.ml_name,
                  .parameters = give_signature(definition)};
  definition.ml_meth = reinterpret_cast<PyCFunction>(instead);
  // pickle finds a function by its name only if its `self` is a module.
  PyObject* const self = PyModule_New("cospot._core");
  const py::str module("cospot._core");
  const auto described =
      py::reinterpret_steal<py::object>(PyCFunction_NewEx(&definition, self, module.ptr()));
  function.inc_ref();  // it owns the definition
  bound_calls().emplace(self, std::move(bound));
  py::setattr(core, key, described);
}

void describe_method(const std::string& class_name, const py::handle& function) {
  PyMethodDef& definition = definition_of(function);
  const AnyCall instead = passing_on(definition);
  if (instead == nullptr) return;
  PyObject* const self = PyCFunction_GET_SELF(function.ptr());
  const bool is_constructor = std::string_view(definition.ml_name) == "__init__";
  bound_calls().emplace(
      self, BoundCall{.call = reinterpret_cast<AnyCall>(definition.ml_meth),
                      .self = self,
                      .name = is_constructor ? class_name : class_name + "." + definition.ml_name,
                      .parameters = give_signature(definition)});
  definition.ml_meth = reinterpret_cast<PyCFunction>(instead);
}

/// Gives a class the signature of its constructor. Its docstring is kept elsewhere, in its dict.
void describe_constructor(const py::handle& bound_class, const std::string& parameters) {
  constexpr std::string_view kSelf = "(self";
  std::string rest = parameters.substr(kSelf.size());
  if (rest.starts_with(", ")) rest.erase(0, 2);
  const std::string text =
      bound_class.attr("__name__").cast<std::string>() + "(" + rest + "\n--\n\n";
  auto* const memory = static_cast<char*>(PyObject_Malloc(text.size() + 1));
  std::memcpy(memory, text.c_str(), text.size() + 1);
  reinterpret_cast<PyTypeObject*>(bound_class.ptr())->tp_doc = memory;
}

void describe_class(const py::handle& bound_class) {
  const auto name = bound_class.attr("__name__").cast<std::string>();
  const auto members = py::dict(bound_class.attr("__dict__"));
  for (const auto& [key, member] : members) {
    const bool is_method = PyInstanceMethod_Check(member.ptr()) != 0;
    if (!is_method && !py::isinstance<py::staticmethod>(member)) continue;
    const py::object function =
        is_method ? py::reinterpret_borrow<py::object>(PyInstanceMethod_GET_FUNCTION(member.ptr()))
                  : py::object(member.attr("__func__"));
    if (PyCFunction_Check(function.ptr()) == 0) continue;
    PyObject* const self = PyCFunction_GET_SELF(function.ptr());
    if (self == nullptr || bound_calls().contains(self)) continue;
    describe_method(name, function);
    const auto described = bound_calls().find(self);
    if (described == bound_calls().end()) continue;
    if (std::string_view(definition_of(function).ml_name) != "__init__") continue;
    describe_constructor(bound_class, described->second.parameters);
  }
}

}  // namespace

void describe_calls(py::module_& core) {
  for (const auto& [key, member] : py::dict(core.attr("__dict__"))) {
    if (PyType_Check(member.ptr()) != 0) {
      describe_class(member);
    } else if (PyCFunction_Check(member.ptr()) != 0) {
      describe_function(core, key, member);
    }
  }
}

}  // namespace cospot::bindings
