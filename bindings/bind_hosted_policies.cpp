// Policies for the program that hosts Python (python_host/): for it alone.

#include <memory>

#include "bindings/bindings.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/policy_loader_capsule.hpp"
#include "bindings/python_error.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

/// Nobody in Python called, so that whatever a policy raises is the program's to tell; and nobody
/// ends the interpreter, so that what this does would not happen.
class HostedPolicies final : public LoadedPolicies {
 public:
  HostedPolicies() { every_exception_is_told() = true; }
  HostedPolicies(const HostedPolicies&) = delete;
  HostedPolicies& operator=(const HostedPolicies&) = delete;

  /// Writes out what policies have printed so far, and runs what they registered for the end.
  ~HostedPolicies() override {
    const py::gil_scoped_acquire lock;
    try {
      py::module_::import("atexit").attr("_run_exitfuncs")();
      const py::module_ sys = py::module_::import("sys");
      sys.attr("stdout").attr("flush")();
      sys.attr("stderr").attr("flush")();
    } catch (const py::error_already_set&) {
      // A closed pipe: nobody is left to tell.
    }
  }
};

}  // namespace

void bind_hosted_policies(py::module_& core) {
  core.def(
      "_make_policy_loader",
      [] {
        PolicyLoader* loader = std::make_unique<HostedPolicies>().release();
        return py::capsule(loader, kPolicyLoaderCapsule);
      },
      "Return what finds policies for the program that hosts Python, in a capsule.");
}

}  // namespace cospot::bindings
