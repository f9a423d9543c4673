// The manual page, made of the commands that there are.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "sim_harness/commands/command_line.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/help.hpp"
#include "sim_harness/commands/print.hpp"

namespace cospot {
namespace {

/// As roff reads it: a hyphen that can be searched for, and no line that begins with a request.
std::string roff(std::string_view text) {
  std::string escaped;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    begins_line = c == '\n';
  }
  return escaped;
}

std::string option_lines(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(option_heading(*option)),
                        roff(option_meaning(*option)));
  }
  return text;
}

std::string command_lines(const CLI::App& command) {
  std::string text =
      fmt::format(".SS {}\n{}.\n", roff(command_path(command)), roff(command.get_description()));
  text += option_lines(command);
  if (!command.get_footer().empty()) {
    text += fmt::format(".PP\n.nf\n{}.fi\n", roff(command.get_footer()));
  }
  return text;
}

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH COSPOT 1 \"\" \"cospot {}\" \"User Commands\"\n.SH NAME\ncospot \\- {}\n"
      ".SH SYNOPSIS\n.B cospot\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH OPTIONS\n",
      version(), "spot instances for cloud providers: place them, evict them, compare policies");
  text += option_lines(app) + ".SH COMMANDS\n";
  for_each_command(app, [&](const CLI::App& command) {
    if (&command != &app) text += command_lines(command);
  });
  return text +
         ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nAn internal error.\n.TP\n.B 2\nBad input "
         "or usage: one line says what, where and what was expected.\n.TP\n.B 130\nInterrupted. "
         "What "
         "is done is kept.\n.SH ENVIRONMENT\n.TP\n.B COSPOT_PYTHON\nThe Python that runs policies "
         "written in Python.\n";
}

}  // namespace

void add_man_command(CLI::App& app) {
  app.add_subcommand("man", "Print the manual page: cospot man | man -l -")->callback([&app] {
    print(manual_page(app));
  });
}

}  // namespace cospot
