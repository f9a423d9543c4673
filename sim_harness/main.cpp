// The program `cospot`: all but the choice of what finds Python policies is in the library.

#include "sim_harness/commands/command_line.hpp"

int main(int argc, char** argv) {
  cospot::NoPythonPolicies policies;
  return cospot::run_command_line(argc, argv, policies);
}
