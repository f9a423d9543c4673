#include "bindings/python_host/interpreter.hpp"

#include <dlfcn.h>

#include <mutex>
#include <string>

#include "bindings/python_host/python_error.hpp"
#include "core/errors.hpp"

namespace cospot::python_host {
namespace {

namespace bp = boost::python;

void require_ok(const PyStatus& status) {
  if (PyStatus_Exception(status) == 0) return;
  throw ConfigError(std::string("Python does not start: ") +
                    (status.err_msg != nullptr ? status.err_msg : "unknown reason"));
}

/// Extension modules such as NumPy's use the symbols of libpython without naming it: they expect
/// them in the program. Here they came with a library that is loaded late, so they are local to it.
void publish_libpython_symbols() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&Py_IsInitialized), &info) == 0) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/// Text is UTF-8 whatever the locale, and the program's own locale is left alone.
void preinitialise() {
  PyPreConfig config;
  PyPreConfig_InitPythonConfig(&config);
  config.configure_locale = 0;
  config.coerce_c_locale = 0;
  config.utf8_mode = 1;
#if defined(__SANITIZE_ADDRESS__)
  // The leak checker does not look into the arenas of Python's own allocator.
  config.allocator = PYMEM_ALLOCATOR_MALLOC;
#endif
  require_ok(Py_PreInitialize(&config));
}

class InterpreterConfig {
 public:
  explicit InterpreterConfig(const std::filesystem::path& python) {
    PyConfig_InitPythonConfig(&config_);
    config_.install_signal_handlers = 0;  // Ctrl-C is the program's
    config_.parse_argv = 0;
    config_.write_bytecode = 0;  // leave nothing beside the user's files
    // The prefix, and so the libraries, follow from these, not from a python3 that PATH has first.
    set(&config_.program_name, python);
    set(&config_.executable, python);
  }
  ~InterpreterConfig() { PyConfig_Clear(&config_); }
  InterpreterConfig(const InterpreterConfig&) = delete;
  InterpreterConfig& operator=(const InterpreterConfig&) = delete;

  void initialise() { require_ok(Py_InitializeFromConfig(&config_)); }

 private:
  void set(wchar_t** field, const std::filesystem::path& value) {
    require_ok(PyConfig_SetBytesString(&config_, field, value.c_str()));
  }

  PyConfig config_{};
};

void insert_path(const std::filesystem::path& folder) {
  bp::import("sys").attr("path").attr("insert")(0, folder.string());
}

/// Imports the package now, before a folder of the user can hide it.
void import_package(const InterpreterPaths& paths) {
  try {
    insert_path(paths.package);
    const bp::object package = bp::import("cospot");
    const std::string version = bp::extract<std::string>(package.attr("__version__"));
    if (version != COSPOT_VERSION) {
      throw ConfigError("the Python package cospot in " + paths.package.string() + " is version " +
                        version + ", expected " COSPOT_VERSION);
    }
  } catch (const bp::error_already_set&) {
    throw ConfigError("the Python package cospot cannot be imported from " +
                      paths.package.string() + ": " + take_python_error().text());
  }
}

void start(const InterpreterPaths& paths) {
  publish_libpython_symbols();
  preinitialise();
  InterpreterConfig(paths.python).initialise();
  // From here on the lock is taken for each use.
  struct ReleaseLock {
    ~ReleaseLock() { PyEval_SaveThread(); }
  } const release;
  import_package(paths);
}

/// Makes the Python state of a thread at its first lock and keeps it until the thread ends.
class ThreadState {
 public:
  ThreadState() : gil_(PyGILState_Ensure()), state_(PyEval_SaveThread()) {}
  ~ThreadState() {
    PyEval_RestoreThread(state_);
    PyGILState_Release(gil_);
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

 private:
  PyGILState_STATE gil_;
  PyThreadState* state_;
};

}  // namespace

void start_interpreter(const InterpreterPaths& paths) {
  static std::once_flag started;
  std::call_once(started, start, paths);
}

void search_first(const std::filesystem::path& folder) {
  const InterpreterLock lock;
  insert_path(folder);
}

void finish_output() {
  const InterpreterLock lock;
  try {
    bp::import("atexit").attr("_run_exitfuncs")();
    const bp::object sys = bp::import("sys");
    sys.attr("stdout").attr("flush")();
    sys.attr("stderr").attr("flush")();
  } catch (const bp::error_already_set&) {
    PyErr_Clear();  // a closed pipe: nobody is left to tell
  }
}

InterpreterLock::InterpreterLock() {
  static thread_local const ThreadState kept;
  state_ = PyGILState_Ensure();
}

SharedObject share(const boost::python::object& object) {
  return {new bp::object(object), [](const bp::object* held) {
            const InterpreterLock lock;
            delete held;
          }};
}

}  // namespace cospot::python_host
