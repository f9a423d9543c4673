#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace cospot::bindings {

/// A Python object that may be copied and dropped by threads without the interpreter's lock.
using SharedPython = std::shared_ptr<const pybind11::object>;

/// Called with the lock.
[[nodiscard]] inline SharedPython share(pybind11::object object) {
  return {new pybind11::object(std::move(object)), [](const pybind11::object* held) {
            const pybind11::gil_scoped_acquire lock;
            delete held;
          }};
}

}  // namespace cospot::bindings
