// The module cospot._core: only calls the functions that bind its subjects.

#include "bindings/bindings.hpp"
#include "sim_harness/commands/command_line.hpp"

PYBIND11_MODULE(_core, core) {
  namespace bindings = cospot::bindings;
  core.doc() = "The compiled part of cospot. Import its names from the package cospot.";
  core.attr("__version__") = cospot::version();
  bindings::bind_errors();
  bindings::bind_resources(core);
  bindings::bind_hosts(core);
  bindings::bind_policies(core);
  bindings::bind_chain(core);
  bindings::bind_offer(core);
  bindings::bind_workloads(core);
  bindings::bind_simulation(core);
  bindings::bind_compare(core);
  bindings::bind_command_line(core);
}
