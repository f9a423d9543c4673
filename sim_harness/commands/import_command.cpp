#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/imports/import_workload.hpp"

namespace cospot {
namespace {

struct ImportCommandOptions {
  ImportOptions import;
  std::string output;
  WindowOption window;
  bool list_formats = false;
};

std::string formats_text() {
  std::string text;
  for (const ImportFormat& format : import_formats()) {
    text += fmt::format("{:<12} {}\n", format.name, format.summary);
  }
  return text + "azure-packing  cospot workload reconstruct\n";
}

void run_import(ImportCommandOptions& options) {
  if (options.list_formats) {
    return print(formats_text());
  }
  if (options.import.files.empty()) throw CLI::RequiredError("FILE");
  if (options.output.empty()) throw CLI::RequiredError("--output");
  options.import.window = options.window.window();
  const ImportSummary summary = import_workload(options.import, options.output);
  print(import_summary_text(summary, options.output));
  print_warnings(import_warnings(summary, options.output));
}

void add_table_options(CLI::App& command, ImportOptions& import) {
  command.add_option("--format", import.format, "What the files are; --list-formats names them");
  command.add_option("--map", import.map,
                     "NAME=COLUMN, or NAME=EXPRESSION over columns; names: instance_id, tenant_id, "
                     "vcpus, memory_mb, disk_gb, start_s, end_s, count, zone, extra_specs, group, "
                     "group_policy, max_server_per_host");
  command
      .add_option("--columns", import.columns, "Names of the columns, when no header line has them")
      ->delimiter(',');
  command.add_option("--separator", import.separator, "Sign between columns, or tab; default: ,");
  command.add_option("--time-unit", import.time_unit, "Unit of times: s, ms, us, days or iso");
  command.add_option("--end", import.end, "What end_s holds: end_time (default) or duration");
  command.add_option(
      "--vcpus-unit", import.vcpus_unit,
      "How many vCPUs one of vcpus is, or relative: a share of a machine; default: 1");
  command.add_option("--flavors", import.flavors,
                     "Sizes of the flavors that rows name: openstack flavor list --all -f json");
}

void add_row_options(CLI::App& command, ImportOptions& import) {
  command.add_option("--spot-if", import.spot_if,
                     "Condition on columns that makes a request a spot; 0: none is");
  command.add_option("--only", import.only, "Condition on columns: leave other rows out");
  command.add_option("--start-when", import.start_when,
                     "Condition that makes a row the start of an instance, where events have rows");
  command.add_option("--end-when", import.end_when, "Condition that makes a row the end of one");
  command.add_option("--window-start", import.window_start,
                     "Second 0 of the workload, a time of the file or ISO 8601; default: the first "
                     "time at which everything that ran is known, or the first request, or "
                     "--window-days before the last time seen");
  command
      .add_option("--lead-days", import.lead_days,
                  "Leave out requests that ended longer than this before the window")
      ->capture_default_str();
  command.add_flag("--skip-bad-rows", import.skip_bad_rows,
                   "Leave out rows that cannot be used, and say how many");
}

}  // namespace

void add_import_command(CLI::App& workload) {
  const auto options = std::make_shared<ImportCommandOptions>();
  CLI::App* command = workload.add_subcommand(
      "import", "Make a workload of your own records: CSV, SWF, Kubernetes, OpenStack, traces");
  command->add_option("FILE", options->import.files, "Files to read, plain or gzip");
  add_output_option(*command, options->output);
  command->add_option("--hosts-out", options->import.hosts_out,
                      "File of hosts to write for --host, where the files have hosts (kubernetes)");
  add_table_options(*command, options->import);
  add_row_options(*command, options->import);
  options->window.add_to(*command);
  command->add_flag("--list-formats", options->list_formats, "List the formats, and do no more");
  command->callback([options] { run_import(*options); });
}

}  // namespace cospot
