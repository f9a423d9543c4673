// The module cospot._core: only calls the functions that bind its subjects.

#include <string>

#include "bindings/bindings.hpp"
#include "sim_harness/commands/command_line.hpp"

namespace {

/// pybind11 before 2.12 does not know how NumPy 2 lays out an array's description and would hand
/// out arrays with wrong strides.
void require_known_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  namespace py = pybind11;
  const std::string version = py::str(py::module_::import("numpy").attr("__version__"));
  if (std::stoi(version) >= 2) {
    throw py::import_error("this cospot was built with pybind11 " +
                           std::to_string(PYBIND11_VERSION_MAJOR) + "." +
                           std::to_string(PYBIND11_VERSION_MINOR) + ", which NumPy " + version +
                           " does not work with; install NumPy < 2, or build cospot with "
                           "pybind11 >= 2.12 (pip install . does)");
  }
#endif
}

}  // namespace

PYBIND11_MODULE(_core, core) {
  namespace bindings = cospot::bindings;
  require_known_numpy();
  core.doc() = "The compiled part of cospot. Import its names from the package cospot.";
  core.attr("__version__") = cospot::version();
  bindings::bind_errors(core);
  bindings::bind_resources(core);
  bindings::bind_hosts(core);
  bindings::bind_policies(core);
  bindings::bind_chain(core);
  bindings::bind_offer(core);
  bindings::bind_live_hosts(core);
  bindings::bind_reserve(core);
  bindings::bind_change_watch(core);
  bindings::bind_workloads(core);
  bindings::bind_simulation(core);
  bindings::bind_placement(core);
  bindings::bind_life(core);
  bindings::bind_lifetimes(core);
  bindings::bind_compare(core);
  bindings::bind_pricing(core);
  bindings::bind_broker(core);
  bindings::bind_promises(core);
  bindings::bind_advise(core);
  bindings::bind_command_line(core);
  bindings::bind_hosted_policies(core);
  bindings::bind_protocols(core);
  bindings::describe_calls(core);
}
