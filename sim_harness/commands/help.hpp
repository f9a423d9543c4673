#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cospot {

/// Groups the commands of `app` by reader, and gives every command examples and every option the
/// name of its value. Once all commands are there.
void add_help(CLI::App& app);

/// An option with the name of its value, `--set KEY=VALUE ...`, and what it means.
[[nodiscard]] std::string option_heading(const CLI::Option& option);
[[nodiscard]] std::string option_meaning(const CLI::Option& option);

/// Visits a command, then all below it, in the order in which they were added.
template <class Command, class Visit>
void for_each_command(Command& command, const Visit& visit) {
  visit(command);
  for (auto* below : command.get_subcommands(nullptr)) for_each_command(*below, visit);
}

/// The command that was typed so far, with all before it: `cospot workload info`.
[[nodiscard]] std::string command_path(const CLI::App& app);

}  // namespace cospot
