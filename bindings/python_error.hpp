#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "bindings/shared_python.hpp"
#include "core/errors.hpp"

namespace cospot::bindings {

/// A policy written in Python raised; its exception becomes `__cause__`.
class RaisedByPolicy final : public PolicyError {
 public:
  RaisedByPolicy(const std::string& text, SharedPython cause)
      : PolicyError(text), cause_(std::move(cause)) {}
  [[nodiscard]] const SharedPython& cause() const { return cause_; }

 private:
  SharedPython cause_;
};

/// A policy written in Python could not be found or made; the exception becomes `__cause__`.
class RaisedByLoading final : public ConfigError {
 public:
  RaisedByLoading(const std::string& text, SharedPython cause)
      : ConfigError(text), cause_(std::move(cause)) {}
  [[nodiscard]] const SharedPython& cause() const { return cause_; }

 private:
  SharedPython cause_;
};

/// For example "ZeroDivisionError: division by zero (my_policies.py:12)".
[[nodiscard]] std::string describe(const pybind11::error_already_set& error);

/// Tells whether an exception of a policy is one of its mistakes; a KeyboardInterrupt or SystemExit
/// is none, and ends what it ends anywhere.
[[nodiscard]] bool is_policy_fault(const pybind11::error_already_set& error);

/// True where those two are mistakes too, because nobody in Python waits for them.
[[nodiscard]] bool& every_exception_is_told();

/// Turns an exception from finding or making a policy into a ConfigError. Called with the lock.
[[noreturn]] void throw_loading_error(const std::string& policy,
                                      const pybind11::error_already_set& error);

}  // namespace cospot::bindings
