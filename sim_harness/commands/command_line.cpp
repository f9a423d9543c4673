#include "sim_harness/commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/interrupt_signals.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/commands/commands.hpp"

namespace cospot {
namespace {

constexpr int kDone = 0;
constexpr int kInternalError = 1;
constexpr int kBadInput = 2;

/// Where CLI11 says only that a command is missing: says which word is none, and the valid ones.
bool explain_unknown_command(const CLI::App& app) {
  const CLI::App* innermost = &app;
  while (!innermost->get_subcommands().empty()) innermost = innermost->get_subcommands().front();
  const std::vector<std::string> extras = innermost->remaining();
  std::vector<std::string> valid_names;
  for (const CLI::App* command : innermost->get_subcommands(nullptr)) {
    valid_names.push_back(command->get_name());
  }
  if (valid_names.empty() || extras.empty() || extras.front().starts_with('-')) return false;
  fmt::print(stderr, "cospot: unknown command '{}'; valid names: {}\n", extras.front(),
             fmt::join(valid_names, ", "));
  return true;
}

/// What CLI11 says of a mistake, as all our errors begin.
std::string usage_error(const CLI::App* app, const CLI::Error& error) {
  const CLI::App* innermost = app;
  while (!innermost->get_subcommands().empty()) innermost = innermost->get_subcommands().front();
  std::string command = innermost->get_name();
  for (const CLI::App* outer = innermost->get_parent(); outer != nullptr;
       outer = outer->get_parent()) {
    command = outer->get_name() + " " + command;
  }
  return fmt::format("cospot: {}; see {} --help\n", error.what(), command);
}

int parse_and_run(int argc, const char* const* argv, PolicyLoader& loader,
                  const StudyRegistry& studies) {
  CLI::App app{"Spot instances for cloud providers: place them, evict them, compare policies."};
  app.name("cospot");
  app.set_version_flag("--version", COSPOT_VERSION);
  app.require_subcommand(1);
  app.failure_message(usage_error);

  int exit_code = kDone;
  add_compare_commands(app, {.studies = &studies, .policies = &loader, .exit_code = &exit_code});
  add_run_commands(app, loader, studies);
  add_broker_commands(app, loader);
  CLI::App* workload = add_workload_commands(app);
  add_generate_command(*workload);
  add_import_command(*workload);
  add_reconstruct_command(*workload);
  add_fetch_command(*workload);
  add_lifetime_commands(app, exit_code);
  add_economy_commands(app);
  add_list_command(app, studies);
  add_report_command(app, studies);
  add_tune_command(app, loader);
  add_sla_commands(app, loader);
  add_classes_command(app, loader);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (explain_unknown_command(app)) return kBadInput;
    // 0 for --help and --version; every other one is a mistake on the command line.
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  return exit_code;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, PolicyLoader& loader,
                     const StudyRegistry& studies) {
  const InterruptSignals signals;
  const ShowMeters meters;
  loader.stop_when(&InterruptSignals::flag().asked);
  try {
    return parse_and_run(argc, argv, loader, studies);
  } catch (const Interrupted&) {
    // What it was writing never gets its name; a comparison, which keeps what is done, says so.
    fmt::print(stderr, "cospot: interrupted\n");
    return kInterruptedExitCode;
  } catch (const InputError& error) {
    fmt::print(stderr, "cospot: {}\n", error.what());
    return kBadInput;
  } catch (const PolicyError& error) {
    fmt::print(stderr, "cospot: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cospot: internal error: {}\n", error.what());
    return kInternalError;
  }
}

const char* version() { return COSPOT_VERSION; }

}  // namespace cospot
