#include "bindings/python_host/array_exchange.hpp"

#include <cstring>
#include <string>

#include "bindings/policy_contract.hpp"

namespace cospot::python_host {
namespace {

namespace bp = boost::python;

/// The bytes of a contiguous array.
class Bytes {
 public:
  Bytes(const bp::object& array, int flags) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, flags) != 0) bp::throw_error_already_set();
  }
  ~Bytes() { PyBuffer_Release(&buffer_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  [[nodiscard]] void* data() const { return buffer_.buf; }

 private:
  Py_buffer buffer_{};
};

std::string text_of(const bp::object& object) { return bp::extract<std::string>(bp::str(object)); }

/// An array of what a batch method returned, or a PolicyError.
bp::object require_array(std::string_view policy, const char* method, const bp::object& returned,
                         const char* expected) {
  try {
    return bp::import("numpy").attr("asarray")(returned);
  } catch (const bp::error_already_set&) {
    PyErr_Clear();
    bindings::throw_fault(policy, "{} returned a {}, expected {}", method,
                          text_of(returned.attr("__class__").attr("__name__")), expected);
  }
}

/// Copies what a batch method returned over `values`, converted to the NumPy type `type`.
template <class T>
void copy_values(std::string_view policy, const char* method, const bp::object& returned,
                 const char* type, std::string_view kinds, const char* expected,
                 std::span<T> values) {
  const bp::object array = require_array(policy, method, returned, expected);
  const bp::object dtype = array.attr("dtype");
  const bindings::ReturnedArray description{
      .dimensions = bp::extract<std::size_t>(array.attr("ndim")),
      .size = bp::extract<std::size_t>(array.attr("size")),
      .shape = text_of(array.attr("shape")),
      .kind = text_of(dtype.attr("kind")).at(0),
      .type = text_of(dtype)};
  bindings::check_array(policy, method, description, values.size(), kinds, expected);
  const bp::object typed = bp::import("numpy").attr("ascontiguousarray")(array, type);
  const Bytes bytes(typed, PyBUF_C_CONTIGUOUS);
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size_bytes());
}

}  // namespace

bp::object rows_array(std::span<const HostIndex> rows) {
  const bp::object array = bp::import("numpy").attr("empty")(rows.size(), "uint32");
  const Bytes bytes(array, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
  if (!rows.empty()) std::memcpy(bytes.data(), rows.data(), rows.size_bytes());
  return array;
}

void copy_weights(std::string_view policy, const bp::object& returned, std::span<double> weights) {
  copy_values(policy, "weigh_all", returned, "float64", "fiub", "number", weights);
}

void copy_passes(std::string_view policy, const bp::object& returned,
                 std::span<std::uint8_t> passes) {
  // Whole numbers too: 0 and 1 are what many column formulas give.
  copy_values(policy, "filter_all", returned, "bool", "biu", "bool", passes);
}

}  // namespace cospot::python_host
