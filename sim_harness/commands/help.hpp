#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cospot {

/// Groups the commands of `app` by reader, adds examples to every command and a value name to every
/// option. Call it after all commands are added.
void add_help(CLI::App& app);

/// An option with its value's name, `--set KEY=VALUE ...`, and its meaning.
[[nodiscard]] std::string option_heading(const CLI::Option& option);
[[nodiscard]] std::string option_meaning(const CLI::Option& option);

/// Visits a command, then all its subcommands, in the order in which they were added.
template <class Command, class Visit>
void for_each_command(Command& command, const Visit& visit) {
  visit(command);
  for (auto* below : command.get_subcommands(nullptr)) for_each_command(*below, visit);
}

/// The command typed so far with its parents: `cospot workload info`.
[[nodiscard]] std::string command_path(const CLI::App& app);

}  // namespace cospot
