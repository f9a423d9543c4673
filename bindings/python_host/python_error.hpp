#pragma once

#include <boost/python.hpp>
#include <string>

namespace cospot::python_host {

/// A Python exception, put into words.
struct PythonError {
  std::string type;              ///< name of its class
  std::string message;           ///< str() of it, on one line
  std::string place;             ///< "file.py:12" of the innermost frame; empty when there is none
  bool is_config_error = false;  ///< a cospot.ConfigError: its message is meant for the user

  /// For example "ZeroDivisionError: division by zero (my_policies.py:12)".
  [[nodiscard]] std::string text() const;
};

/// Takes the exception that Python has set. Called with the lock, in a handler of
/// boost::python::error_already_set.
[[nodiscard]] PythonError take_python_error();

}  // namespace cospot::python_host
