// The command line, for `python -m cospot`.

#include <cstdio>
#include <string>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/policy_entries.hpp"
#include "sim_harness/commands/command_line.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

int run(const py::iterable& arguments) {
  std::vector<std::string> words{"cospot"};
  for (const py::handle argument : arguments) {
    words.push_back(read_path(argument, "argument").string());
  }
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  argv.push_back(nullptr);
  LoadedPolicies policies;
  const py::gil_scoped_release unlocked;
  const int exit_code = run_command_line(static_cast<int>(words.size()), argv.data(), policies);
  std::fflush(stdout);
  return exit_code;
}

}  // namespace

void bind_command_line(py::module_& core) {
  core.def("run_command_line", &run, "arguments"_a, R"doc(
Run the command line `cospot`. Prints to the process's standard output and standard error.

Args:
    arguments: Its arguments, without the program's name: ["list", "weighers"].

Returns:
    The exit code: 0 done, 1 internal error, 2 bad input or usage, 130 interrupted.
)doc");
}

}  // namespace cospot::bindings
