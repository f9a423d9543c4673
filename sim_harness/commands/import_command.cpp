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
  command.add_option("--format", import.format, "Format of the files; --list-formats lists all");
  command.add_option("--map", import.map,
                     "NAME=COLUMN, or NAME=EXPRESSION over columns; names: instance_id, tenant_id, "
                     "vcpus, memory_mb, disk_gb, start_s, end_s, count, zone, extra_specs, group, "
                     "group_policy, max_server_per_host");
  command
      .add_option("--columns", import.columns,
                  "Names of the columns of files without a header line")
      ->delimiter(',');
  command.add_option("--separator", import.separator,
                     "Character between columns, or tab (default: ,)");
  command.add_option("--time-unit", import.time_unit, "Unit of times: s, ms, us, days or iso");
  command.add_option("--time-zone", import.time_zone,
                     "Time zone of dates without an offset, such as Europe/Berlin (default: UTC)");
  command.add_option("--end", import.end,
                     "Meaning of end_s: end_time or duration (default: end_time)");
  command.add_option("--vcpus-unit", import.vcpus_unit,
                     "vCPUs that one unit of vcpus stands for (default: 1); relative: vcpus are "
                     "shares of a machine");
  command.add_option(
      "--flavors", import.flavors,
      "Sizes of the flavors that the rows name, from openstack flavor list --all -f json");
}

void add_row_options(CLI::App& command, ImportOptions& import) {
  command.add_option("--spot-if", import.spot_if,
                     "Requests that meet this condition on columns are spots; 0: no spots");
  command.add_option("--only", import.only, "Use only rows that meet this condition on columns");
  command.add_option("--start-when", import.start_when,
                     "With one row per event: rows that meet this condition start an instance");
  command.add_option("--end-when", import.end_when,
                     "With one row per event: rows that meet this condition end an instance");
  command.add_option(
      "--window-start", import.window_start,
      "Second 0 of the workload, a time of the file or ISO 8601 (default: the first time at which "
      "all running instances are known, the first request, or --window-days before the last time)");
  command
      .add_option("--lead-days", import.lead_days,
                  "Omit requests that ended longer than this before the window")
      ->capture_default_str();
  command.add_flag("--skip-bad-rows", import.skip_bad_rows,
                   "Skip rows that cannot be used and report how many");
}

}  // namespace

void add_import_command(CLI::App& workload) {
  const auto options = std::make_shared<ImportCommandOptions>();
  CLI::App* command = workload.add_subcommand(
      "import", "Make a workload of your own records: CSV, SWF, Kubernetes, OpenStack, traces");
  command->add_option("FILE", options->import.files, "Files to read, plain or gzip");
  add_output_option(*command, options->output);
  command->add_option("--hosts-out", options->import.hosts_out,
                      "Hosts file to write, for --host of other commands (kubernetes only)");
  add_table_options(*command, options->import);
  add_row_options(*command, options->import);
  options->window.add_to(*command);
  command->add_flag("--list-formats", options->list_formats, "List the formats and exit");
  command->callback([options] { run_import(*options); });
}

}  // namespace cospot
