// Completion for shells, made of the commands that there are.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evictors/registry.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/help.hpp"
#include "sim_harness/commands/print.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

template <class Plugin>
std::string names_of(std::span<const RegistryEntry<Plugin>> registry) {
  std::vector<std::string_view> names;
  for (const RegistryEntry<Plugin>& entry : registry) names.push_back(entry.info.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// The words that may follow a command: the commands below it, or its options.
std::string words_after(const CLI::App& command) {
  std::string words;
  for (const CLI::App* below : command.get_subcommands(nullptr)) words += below->get_name() + " ";
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  words.pop_back();  // every command has --help
  return words;
}

// clang-format off: a shell's script
constexpr std::string_view kBashScript = R"sh(_cospot_words() {{
  case $1 in
{}  esac
}}

_cospot() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} path=cospot word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if [ -n "$(_cospot_words "$path $word")" ]; then path="$path $word"; fi
  done
  local words
  words=$(_cospot_words "$path")
  case $before in
    --vm | --spot) words='{}' ;;
    --evictor) words='{}' ;;
    *) if [[ $words == --* && $current != -* ]]; then words=; fi ;;
  esac
  COMPREPLY=()
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    if [ -n "$words" ]; then compgen -W "$words" -- "$current"; else compgen -f -- "$current"; fi
  )
}}
complete -o filenames -F _cospot cospot
)sh";
// clang-format on

/// The script for bash, and for zsh, which understands it.
std::string bash_script(const CLI::App& app) {
  std::string cases;
  for_each_command(app, [&](const CLI::App& command) {
    cases += fmt::format("    '{}') echo '{}' ;;\n", command_path(command), words_after(command));
  });
  return fmt::format(fmt::runtime(kBashScript), cases, names_of(weigher_registry()),
                     names_of(evictor_registry()));
}

std::string zsh_script(const CLI::App& app) {
  return "#compdef cospot\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
}

/// In single quotes, as fish reads them.
std::string fish_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string text;
  for_each_command(app, [&](const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    const bool is_first = parent != nullptr && parent->get_parent() == nullptr;
    if (is_first) {
      text += fmt::format("complete -c cospot -n __fish_use_subcommand -a {} -d {}\n",
                          command.get_name(), fish_text(command.get_description()));
    } else if (parent != nullptr) {
      text +=
          fmt::format("complete -c cospot -n '__fish_seen_subcommand_from {}' -a {} -d {}\n",
                      parent->get_name(), command.get_name(), fish_text(command.get_description()));
    }
    if (parent == nullptr) return;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const bool is_evictor = name == "evictor";
        const bool is_policy = name == "vm" || name == "spot";
        const std::string values =
            is_evictor || is_policy
                ? " -x -a " + fish_text(is_policy ? names_of(weigher_registry())
                                                  : names_of(evictor_registry()))
                : "";
        text +=
            fmt::format("complete -c cospot -n '__fish_seen_subcommand_from {}' -l {} -d {}{}\n",
                        command.get_name(), name, fish_text(option->get_description()), values);
      }
    }
  });
  return text;
}

}  // namespace

void add_completion_command(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script by which a shell completes commands, options and policies");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app] {
    if (*shell == "bash") return print(bash_script(app));
    if (*shell == "zsh") return print(zsh_script(app));
    print(fish_script(app));
  });
}

}  // namespace cospot
