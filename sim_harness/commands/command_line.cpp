#include "sim_harness/commands/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/nearest_name.hpp"
#include "core/printable_text.hpp"
#include "sim_harness/base/interrupt/interrupt_signals.hpp"
#include "sim_harness/base/text/terminal_ink.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/help.hpp"
#include "sim_harness/commands/print.hpp"

namespace cospot {
namespace {

constexpr int kDone = 0;
constexpr int kInternalError = 1;
constexpr int kBadInput = 2;

const CLI::App& innermost_of(const CLI::App& app) {
  const CLI::App* innermost = &app;
  while (!innermost->get_subcommands().empty()) innermost = innermost->get_subcommands().front();
  return *innermost;
}

/// The names that a word may be: commands, or the options of one.
std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Options that people look for at a command, and the command that has them.
struct OptionElsewhere {
  std::string_view command, option, instead;
};
constexpr std::array<OptionElsewhere, 2> kOptionsElsewhere{
    {{"cospot compare", "--json", "`cospot summary DATABASE --json` prints the results as JSON"},
     {"cospot compare", "--output", "--db and --csv name the files of the results"}}};

/// Names the command or word if CLI11 says only that a command is missing or a word was unexpected,
/// and suggests the one meant. Empty: CLI11 has said it all.
std::string unknown_word_error(const CLI::App& app, const CLI::ParseError& error,
                               const StudyRegistry& studies) {
  const CLI::App& innermost = innermost_of(app);
  const std::vector<std::string> extras = innermost.remaining();
  const bool lacks_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                             innermost.get_require_subcommand_min() > 0 &&
                             innermost.get_subcommands().empty();
  if (extras.empty() && lacks_command) {
    return fmt::format("a command is missing after `{}`; expected one of: {}",
                       command_path(innermost), fmt::join(commands_of(innermost), ", "));
  }
  const auto option =
      std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with("--"); });
  const bool is_option = option != extras.end();
  const std::vector<std::string> names = is_option ? options_of(innermost) : commands_of(innermost);
  if (extras.empty()) return {};
  // CLI11 lists them from the last to the first.
  const std::string unexpected =
      fmt::format("unexpected argument{} {}; see {} --help", extras.size() == 1 ? "" : "s",
                  fmt::join(extras, " "), command_path(innermost));
  if (names.empty()) return unexpected;
  if (!is_option && extras.front().starts_with('-')) return unexpected;
  const std::string word = is_option ? option->substr(0, option->find('=')) : extras.front();
  for (const OptionElsewhere& known : kOptionsElsewhere) {
    if (word != known.option || command_path(innermost) != known.command) continue;
    return fmt::format("{} has no option {}; {}", known.command, word, known.instead);
  }
  if (const Study* study = is_option ? nullptr : studies.find(word); study != nullptr) {
    return fmt::format(
        "{0} is a study, not a command: `cospot compare FILE` runs a file with "
        "`study: {0}` ({1})",
        word, study->page);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (is_option && nearest_name(word, views).empty()) return unexpected;
  return fmt::format("unknown {} '{}'; {}", is_option ? "option" : "command", word,
                     valid_names_text(word, views));
}

/// CLI11's description of a mistake, in the form of all our errors.
std::string usage_error(const CLI::App* app, const CLI::Error& error) {
  return fmt::format("{} {}; see {} --help\n", inked(Ink::kError, "cospot:", stderr),
                     printable_line(error.what()), command_path(innermost_of(*app)));
}

/// `cospot help COMMAND` is `cospot COMMAND --help`; so is a bare `cospot`.
std::vector<const char*> with_help_option(std::span<const char* const> words) {
  std::vector<const char*> all(words.begin(), words.end());
  if (all.size() > 1 && std::string_view(all[1]) == "help") {
    all.erase(all.begin() + 1);
    all.push_back("--help");
  }
  if (all.size() == 1) all.push_back("--help");
  return all;
}

int parse_and_run(int argc, const char* const* argv, PolicyLoader& loader,
                  const StudyRegistry& studies) {
  CLI::App app{"Spot instances for cloud providers: place them, evict them, compare policies."};
  app.name("cospot");
  app.set_version_flag("-V,--version", COSPOT_VERSION);
  app.require_subcommand(1);
  app.failure_message(usage_error);

  int exit_code = kDone;
  add_plan_command(app, loader);
  add_tune_command(app, loader);
  add_sla_commands(app, loader);
  add_economy_commands(app, loader);
  add_classes_command(app, loader);
  add_signals_command(app, loader);
  add_compare_commands(app, {.studies = &studies, .policies = &loader, .exit_code = &exit_code});
  add_run_command(app, loader, studies);
  add_size_command(app, loader);
  add_report_command(app, loader, studies);
  add_broker_commands(app, loader);
  CLI::App* workload = add_workload_commands(app);
  add_generate_command(*workload);
  add_import_command(*workload);
  add_reconstruct_command(*workload);
  add_fetch_command(*workload);
  add_lifetime_commands(app, exit_code);
  add_list_command(app, studies);
  add_completion_command(app);
  add_man_command(app);
  add_help(app);
  const std::vector<const char*> words =
      with_help_option({argv, static_cast<std::size_t>(std::max(argc, 1))});
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_word_error(app, error, studies);
    if (!unknown.empty()) {
      print_error(printable_line(unknown));
      return kBadInput;
    }
    // 0 for --help and --version; every other one is a mistake on the command line.
    if (app.exit(error) != 0) return kBadInput;
    std::cout.flush();  // CLI11 prints help and version there
    if (!std::cout) throw InputError("standard output cannot be written");
    return kDone;
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
    // An unfinished file never gets its name; a comparison, which keeps finished runs, says so.
    print_error("interrupted");
    return kInterruptedExitCode;
  } catch (const InputError& error) {
    print_error(error.what());
    return kBadInput;
  } catch (const PolicyError& error) {
    print_error(error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    print_error("out of memory; expected smaller inputs, fewer threads (-j), or a larger machine");
    return kBadInput;
  } catch (const std::exception& error) {
    print_error(printable_line(fmt::format("internal error: {}", error.what())));
    return kInternalError;
  }
}

const char* version() { return COSPOT_VERSION; }

}  // namespace cospot
