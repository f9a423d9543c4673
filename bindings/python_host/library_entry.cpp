// What the program looks up in this library:
// sim_harness/provider/policies/late_python_policies.hpp.

#include "bindings/python_host/python_policies.hpp"
#include "sim_harness/provider/policies/late_python_policies.hpp"

extern "C" const char* cospot_python_host_version() { return COSPOT_VERSION; }

extern "C" cospot::PolicyLoader* cospot_make_python_policies(
    const cospot::PythonHostPlaces& places) {
  return new cospot::python_host::PythonPolicies(
      {.python = COSPOT_PYTHON, .package = places.package});
}
