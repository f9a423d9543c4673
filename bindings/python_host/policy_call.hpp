#pragma once

#include <fmt/core.h>

#include <string>

#include "bindings/python_host/interpreter.hpp"
#include "bindings/python_host/python_error.hpp"
#include "core/errors.hpp"

namespace cospot::python_host {

/// Runs `call`, which asks `method` of a policy; what it raises becomes a PolicyError. Called with
/// the lock.
template <class Call>
auto ask(const std::string& policy, const char* method, const Call& call) {
  try {
    return call();
  } catch (const boost::python::error_already_set&) {
    throw PolicyError(
        fmt::format("policy '{}': {} raised {}", policy, method, take_python_error().text()));
  }
}

}  // namespace cospot::python_host
