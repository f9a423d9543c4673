// The program `cospot`: all but the choice of what finds Python policies is in the library.

#include "sim_harness/commands/command_line.hpp"
#ifdef COSPOT_HOSTS_PYTHON
#include "sim_harness/provider/policies/late_python_policies.hpp"
#endif

int main(int argc, char** argv) {
#ifdef COSPOT_HOSTS_PYTHON
  cospot::LatePythonPolicies policies;
#else
  cospot::NoPythonPolicies policies;
#endif
  return cospot::run_command_line(argc, argv, policies);
}
