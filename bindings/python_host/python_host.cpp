// The library that embeds Python, so that the program can host policies written in it: it starts
// the interpreter and hands out what the package's compiled module makes
// (bind_hosted_policies.cpp). What the program looks up in it:
// sim_harness/provider/policies/late_python_policies.hpp.

// Python's header wants to come before every standard one.
#include <dlfcn.h>

#include <boost/python.hpp>
#include <filesystem>
#include <mutex>
#include <string>

#include "bindings/policy_loader_capsule.hpp"
#include "core/errors.hpp"
#include "sim_harness/provider/policies/late_python_policies.hpp"

namespace cospot {
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

/// The path of the interpreter whose libraries count, as /usr/bin/python3.
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

/// The exception that Python has set, such as "ImportError: no NumPy (__init__.py:12)".
std::string take_python_error() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const bp::object error{bp::handle<>(bp::allow_null(value))};
  const bp::object frames{bp::handle<>(bp::allow_null(traceback))};
  Py_XDECREF(type);
  std::string text = bp::extract<std::string>(bp::str(error.attr("__class__").attr("__name__")) +
                                              ": " + bp::str(error));
  if (frames.is_none()) return text;
  const bp::object last = bp::import("traceback").attr("extract_tb")(frames)[-1];
  const std::string file = bp::extract<std::string>(last.attr("filename"));
  const int line = bp::extract<int>(last.attr("lineno"));
  return text + " (" + std::filesystem::path(file).filename().string() + ":" +
         std::to_string(line) + ")";
}

/// Imports the package now, before a folder of the user can hide it.
void import_package(const std::filesystem::path& folder) {
  try {
    bp::import("sys").attr("path").attr("insert")(0, folder.string());
    const bp::object package = bp::import("cospot");
    const std::string version = bp::extract<std::string>(package.attr("__version__"));
    if (version != COSPOT_VERSION) {
      throw ConfigError("the Python package cospot in " + folder.string() + " is version " +
                        version + ", expected " COSPOT_VERSION);
    }
  } catch (const bp::error_already_set&) {
    throw ConfigError("the Python package cospot cannot be imported from " + folder.string() +
                      ": " + take_python_error());
  }
}

/// Python never stops: objects in it may outlive everything else.
void start(const std::filesystem::path& package) {
  publish_libpython_symbols();
  preinitialise();
  InterpreterConfig(COSPOT_PYTHON).initialise();
  // From here on the lock is taken for each use.
  struct ReleaseLock {
    ~ReleaseLock() { PyEval_SaveThread(); }
  } const release;
  import_package(package);
}

PolicyLoader* make_loader() {
  struct Lock {
    ~Lock() { PyGILState_Release(state); }
    PyGILState_STATE state = PyGILState_Ensure();
  } const lock;
  const bp::object capsule = bp::import("cospot._core").attr("_make_policy_loader")();
  return static_cast<PolicyLoader*>(PyCapsule_GetPointer(capsule.ptr(), kPolicyLoaderCapsule));
}

}  // namespace
}  // namespace cospot

extern "C" const char* cospot_python_host_version() { return COSPOT_VERSION; }

extern "C" cospot::PolicyLoader* cospot_make_python_policies(
    const cospot::PythonHostPlaces& places) {
  static std::once_flag started;
  std::call_once(started, cospot::start, places.package);
  return cospot::make_loader();
}
