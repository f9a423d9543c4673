#pragma once

#include <pybind11/pybind11.h>

// One function for each subject, called by module.cpp in this order: a type is bound before a
// function that takes it, so that docstrings name it.
namespace cospot::bindings {

void bind_errors(pybind11::module_& core);
void bind_resources(pybind11::module_& core);
void bind_hosts(pybind11::module_& core);
void bind_policies(pybind11::module_& core);
void bind_chain(pybind11::module_& core);
void bind_offer(pybind11::module_& core);
void bind_live_hosts(pybind11::module_& core);
void bind_reserve(pybind11::module_& core);
void bind_change_watch(pybind11::module_& core);
void bind_workloads(pybind11::module_& core);
void bind_simulation(pybind11::module_& core);
void bind_placement(pybind11::module_& core);
void bind_life(pybind11::module_& core);
void bind_lifetimes(pybind11::module_& core);
void bind_compare(pybind11::module_& core);
void bind_pricing(pybind11::module_& core);
void bind_broker(pybind11::module_& core);
void bind_promises(pybind11::module_& core);
void bind_advise(pybind11::module_& core);
void bind_command_line(pybind11::module_& core);
void bind_hosted_policies(pybind11::module_& core);
void bind_protocols(pybind11::module_& core);

/// Called last: all that was bound gets a signature and errors that name the argument.
void describe_calls(pybind11::module_& core);

}  // namespace cospot::bindings
