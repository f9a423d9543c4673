// The command line, for `python -m cospot`, and the report.

#include <cstdio>
#include <string>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/watched_work.hpp"
#include "sim_harness/commands/command_line.hpp"
#include "sim_harness/commands/report_command.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

int run(const py::object& arguments) {
  std::vector<std::string> words{"cospot"};
  for (const py::object& argument : read_items(arguments, "arguments", "words, as [\"list\"]")) {
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

/// (runs, bytes)
py::tuple write_report_of(const py::iterable& databases, const py::object& output,
                          const py::object& title, const py::object& price) {
  LoadedPolicies policies;
  ReportArguments arguments{.output = read_path(output, "output").string(), .policies = &policies};
  for (const py::handle database : databases) {
    arguments.databases.push_back(read_path(database, "database").string());
  }
  if (!title.is_none()) arguments.title = read_text(title, "title");
  if (!price.is_none()) arguments.price = PriceOption(read_price_texts(price));
  WrittenReport report;
  run_watched([&] { report = write_report(arguments, built_in_studies()); });
  return py::make_tuple(report.runs, report.bytes);
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
  core.def("_write_report", &write_report_of, "databases"_a, "output"_a, "title"_a = py::none(),
           "price"_a = py::none(),
           "Write the page of cospot.report. Returns the number of its runs and of its bytes.");
}

}  // namespace cospot::bindings
