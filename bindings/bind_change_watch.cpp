// ChangeWatch: finds, among many Python objects, those that show something new.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

py::object attribute(py::handle object, const py::str& name) {
  auto value = py::reinterpret_steal<py::object>(PyObject_GetAttr(object.ptr(), name.ptr()));
  if (!value) throw py::error_already_set();
  return value;
}

/// Equal as Python has it; most values are small numbers, or the very same object.
bool is_equal(const py::object& a, const py::object& b) {
  if (a.is(b)) return true;
  const int equal = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
  if (equal < 0) throw py::error_already_set();
  return equal == 1;
}

/// A number that no dict has had before and none will have after a change; 0 where Python has none.
std::uint64_t version_of(const py::object& dict) {
#if PY_VERSION_HEX < 0x030C0000  // gone from 3.12 on, more or less (PEP 699)
  return reinterpret_cast<const PyDictObject*>(dict.ptr())->ma_version_tag;
#else
  static_cast<void>(dict);
  return 0;
#endif
}

/// Remembers what objects showed, and finds those that show something else now. Keeps references
/// to what it saw, so that no new object can be taken for one that is gone.
class ChangeWatch {
 public:
  ChangeWatch(const py::object& key, const py::object& attributes, const py::object& contents)
      : key_(interned(key, "key")), contents_(interned(contents, "contents")) {
    for (const py::object& name : read_items(attributes, "attributes", "names")) {
      attributes_.push_back(interned(name, "attribute"));
    }
  }

  py::tuple look(const py::list& objects) {
    py::array_t<std::int64_t> numbers(static_cast<py::ssize_t>(objects.size()));
    auto number = numbers.mutable_unchecked<1>();
    py::list changed;
    for (py::ssize_t i = 0; i < numbers.size(); ++i) {
      // Held, whatever a comparison does to the list.
      const auto object = py::reinterpret_borrow<py::object>(PyList_GetItem(objects.ptr(), i));
      if (!object) throw py::error_already_set();
      number(i) = number_of(object);
      if (number(i) >= 0 && update(seen_[static_cast<std::size_t>(number(i))], object)) {
        changed.append(i);
      }
    }
    return py::make_tuple(numbers, changed);
  }

  void forget(const py::object& number) {
    const auto most = static_cast<std::int64_t>(seen_.size()) - 1;
    seen_[static_cast<std::size_t>(read_integer(number, "number", 0, most))].is_current = false;
  }

  [[nodiscard]] std::size_t size() const { return seen_.size(); }

 private:
  struct Seen {
    bool is_current = false;
    std::vector<py::object> values;
    std::vector<py::object> contents;
    std::uint64_t contents_version = 0;  // of the dict that was seen to have them
  };

  static py::str interned(py::handle name, std::string_view what) {
    PyObject* text = PyUnicode_InternFromString(read_text(name, what).c_str());
    if (text == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(text);
  }

  std::int64_t number_of(const py::object& object) {
    const py::object key = attribute(object, key_);
    if (key.is_none()) return -1;
    PyObject* known = PyDict_GetItemWithError(numbers_.ptr(), key.ptr());
    if (known != nullptr) return PyLong_AsLongLong(known);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    const auto number = static_cast<std::int64_t>(seen_.size());
    numbers_[key] = number;
    seen_.push_back({});
    return number;
  }

  bool update(Seen& seen, const py::object& object) const {
    const bool was_current = std::exchange(seen.is_current, false);
    const bool values = update_values(seen.values, object);
    const bool contents = update_contents(seen, attribute(object, contents_));
    seen.is_current = true;
    return values || contents || !was_current;
  }

  bool update_values(std::vector<py::object>& seen, const py::object& object) const {
    bool changed = seen.size() != attributes_.size();
    seen.resize(attributes_.size());
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      py::object value = attribute(object, attributes_[i]);
      if (!changed) changed = !is_equal(seen[i], value);
      seen[i] = std::move(value);
    }
    return changed;
  }

  static bool update_contents(Seen& thing, const py::object& contents) {
    if (PyDict_Check(contents.ptr()) == 0) {
      throw ArgumentError("contents is of type " + type_name(contents) + ", expected a dict");
    }
    const std::uint64_t version = version_of(contents);
    if (version != 0 && version == thing.contents_version) return false;
    thing.contents_version = version;
    std::vector<py::object>& seen = thing.contents;
    const auto size = static_cast<std::size_t>(PyDict_GET_SIZE(contents.ptr()));
    bool changed = seen.size() != size;
    Py_ssize_t at = 0;
    std::size_t i = 0;
    PyObject* value = nullptr;
    while (!changed && PyDict_Next(contents.ptr(), &at, nullptr, &value) != 0) {
      changed = seen[i++].ptr() != value;
    }
    if (!changed) return false;
    std::vector<py::object> now;
    now.reserve(size);
    at = 0;
    while (PyDict_Next(contents.ptr(), &at, nullptr, &value) != 0) {
      now.push_back(py::reinterpret_borrow<py::object>(value));
    }
    seen.swap(now);
    return true;
  }

  py::str key_;
  py::str contents_;
  std::vector<py::str> attributes_;
  py::dict numbers_;
  std::vector<Seen> seen_;
};

}  // namespace

void bind_change_watch(py::module_& core) {
  py::class_<ChangeWatch>(core, "ChangeWatch", R"doc(
Finds, among many Python objects, those that show something new.

For a reader of objects that are made anew for every request and show mostly what they showed
before. Use it from one thread at a time.
)doc")
      .def(py::init<const py::object&, const py::object&, const py::object&>(), "key"_a,
           "attributes"_a, "contents"_a, R"doc(
Say what to look at.

Args:
    key: Name of the attribute that says which thing an object shows; hashable, or None for one
        that shows nothing yet.
    attributes: Names of the attributes that are compared by value.
    contents: Name of an attribute that is a dict. Its values are compared by identity, and in
        order.
)doc")
      .def("look", &ChangeWatch::look, "objects"_a, R"doc(
Look at objects.

Args:
    objects: A list; no two with one key.

Returns:
    (numbers, changed): int64 array with the number of each object's thing, counted from 0 in the
    order in which they were first seen, -1 without a key; and the positions in `objects` of those
    that are new or show something else than the last time.

Raises:
    AttributeError: An object lacks an attribute.
    ArgumentError: The contents are no dict.
)doc")
      .def("forget", &ChangeWatch::forget, "number"_a, R"doc(
Have the next look that sees a thing report it, whatever it shows.

Args:
    number: From look.

Raises:
    ConfigError: There is no such thing.
)doc")
      .def("__len__", &ChangeWatch::size, "Return how many things were seen.");
}

}  // namespace cospot::bindings
