#pragma once

// Python's header wants to come before every standard one.
#include <boost/python.hpp>
#include <filesystem>
#include <memory>

namespace cospot::python_host {

/// Where the interpreter and the modules of cospot are.
struct InterpreterPaths {
  std::filesystem::path python;   ///< the interpreter whose libraries count, as /usr/bin/python3
  std::filesystem::path package;  ///< the folder that holds the package cospot
};

/// Starts Python in this process, once; later calls do nothing. Afterwards no thread holds the
/// interpreter's lock. Python never stops: objects in it may outlive everything else.
///
/// Errors: ConfigError when Python does not start or the package is not there or not ours.
void start_interpreter(const InterpreterPaths& paths);

/// Puts a folder before all others where Python looks for modules.
void search_first(const std::filesystem::path& folder);

/// Writes out what policies have printed so far, and runs what they registered for the end.
void finish_output();

/// Holds the interpreter's lock. A thread keeps its Python state between two locks, so that taking
/// the lock is cheap and thread-local data of policies last.
class InterpreterLock {
 public:
  InterpreterLock();
  ~InterpreterLock() { PyGILState_Release(state_); }
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// A Python object that may be copied and dropped without the lock.
using SharedObject = std::shared_ptr<const boost::python::object>;

/// Called with the lock.
[[nodiscard]] SharedObject share(const boost::python::object& object);

}  // namespace cospot::python_host
