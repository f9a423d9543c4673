#include "sim_harness/commands/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/base/text/terminal_ink.hpp"

namespace cospot {
namespace {

constexpr const char* kPlanners = "For planners of a datacenter";
constexpr const char* kResearchers = "For researchers: studies and their results";
constexpr const char* kCustomers = "For customers";
constexpr const char* kEveryone = "For everyone: data and policies";

struct CommandHelp {
  std::string_view path;  ///< without `cospot`
  const char* reader;     ///< of a command that is not below another one
  std::vector<std::string_view> examples;
  bool is_study = false;  ///< a study of its name runs what it does in every combination
};

/// In the order in which help tells them.
const std::vector<CommandHelp>& command_helps() {
  static const std::vector<CommandHelp> all{
      {"size", kPlanners, {"azure2020:seed=1:scale=0.01 --host 10400,2250"}},
      {"tune",
       kPlanners,
       {"azure2020:seed=1:scale=0.01 --host 10400,2250 --headroom-percent 2",
        "week1.csv week2.csv --hosts hosts.csv --price on-demand=0.04,spot=0.01 --json"}},
      {"plan",
       kPlanners,
       {"requests.csv.gz --hosts hosts.csv --price on-demand=0.04,spot=0.012,economy=0.02",
        "requests.csv.gz --host 64,262144 --hosts 11 --price prices.csv -o plan.yaml --report "
        "plan.html"}},
      {"sla", kPlanners, {}},
      {"sla quote", nullptr, {"azure2020:seed=1:scale=0.01 --host 10400,2250 --hosts 480"}, true},
      {"economy", kPlanners, {}},
      {"economy plan",
       nullptr,
       {"usage.csv --confidence 0.9",
        "requests.csv --host 64,262144 --hosts 11 --training-days 14 --horizon-days 7"}},
      {"economy backtest", nullptr, {"usage.csv --forecaster ses --forecaster mean"}, true},
      {"classes",
       kPlanners,
       {"azure2020:seed=1:scale=0.01 --host 10400,2250 --classes 1 2 3", "jobs.swf --servers 128"},
       true},
      {"signals",
       kPlanners,
       {"azure2020:seed=1:scale=0.01 --host 10400,2250", "requests.csv --hosts hosts.csv --all"},
       true},
      {"compare",
       kResearchers,
       {"study.yaml --set 'otn=[1,4]' --csv results.csv", "study.yaml --shard 1/3 --db part1.db"}},
      {"run",
       kResearchers,
       {"scenario.yaml --explain vm-42", "scenario.yaml --events events.csv.gz"}},
      {"summary", kResearchers, {"results.db", "results.db --json"}},
      {"report", kResearchers, {"results.db -o report.html", "before.db after.db"}},
      {"merge", kResearchers, {"all.db part1.db part2.db part3.db"}},
      {"broker", kCustomers, {}},
      {"broker run",
       nullptr,
       {"broker.yaml --set bid=mean --set fault_tolerance=none --set seed=1 --events events.csv"},
       true},
      {"broker recommend", nullptr, {"broker.yaml --max-late-percent 5"}},
      {"workload", kEveryone, {}},
      {"workload info", nullptr, {"requests.csv.gz --host 64,262144"}},
      {"workload generate", nullptr, {"azure2020 --scale 0.01 --seed 1 -o requests.csv.gz"}},
      {"workload convert", nullptr, {"requests.csv --schema socc22 -o converted.csv"}},
      {"workload sample", nullptr, {"requests.csv.gz --probability 0.1 -o tenth.csv.gz"}},
      {"workload import",
       nullptr,
       {"--list-formats", "log.swf.gz --format swf --spot-if 'queue = 3' -o requests.csv.gz"}},
      {"workload reconstruct", nullptr, {"packing_trace_zone_a_v1.sqlite -o requests.csv.gz"}},
      {"workload fetch", nullptr, {"azure-packing --to data"}},
      {"lifetime", kEveryone, {}},
      {"lifetime spots", nullptr, {"requests.csv.gz -o spots.csv"}},
      {"lifetime train", nullptr, {"requests.csv.gz -o model.txt"}},
      {"lifetime eval", nullptr, {"requests.csv.gz --model model.txt -o evaluation"}},
      {"list", kEveryone, {"evictors", "studies --json"}},
      {"man", kEveryone, {"| man -l -"}},
      {"completion", kEveryone, {"bash > ~/.local/share/bash-completion/completions/cospot"}}};
  return all;
}

constexpr auto kValueNames = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"--set", "KEY=VALUE"},
     {"--hosts", "HOSTS"},
     {"--economy-percent", "PERCENT"},
     {"--db", "FILE"},
     {"--demand", "FILE"},
     {"--report", "FILE"},
     {"--mttr", "RULE"},
     {"--value", "RULE"},
     {"--partition", "PARTITION"},
     {"--gaps", "RULE"},
     {"--forecaster", "FORECASTER"},
     {"--time-unit", "UNIT"},
     {"--vcpus-unit", "VCPUS"},
     {"--schema", "SCHEMA"},
     {"--separator", "CHARACTER"},
     {"--csv", "FILE"},
     {"--timeline-csv", "FILE"},
     {"--events", "FILE"},
     {"--model", "FILE"},
     {"--sizes", "FILE"},
     {"--types", "FILE"},
     {"--flavors", "FILE"},
     {"--forecasts", "FILE"},
     {"--hosts-out", "FILE"},
     {"--output", "FILE"},
     {"--to", "FOLDER"},
     {"--with", "FILE_OR_KEYS"},
     {"--host", "HOSTS"},
     {"--added-type", "TYPE"},
     {"--price", "PRICES"},
     {"--vm", "POLICY"},
     {"--spot", "POLICY"},
     {"--evictor", "EVICTOR"},
     {"--otn", "OTN"},
     {"--promise", "PROBABILITY"},
     {"--window-days", "DAYS"},
     {"--training-days", "DAYS"},
     {"--horizon-days", "DAYS"},
     {"--step-days", "DAYS"},
     {"--period-hours", "HOURS"},
     {"--at-hours", "HOURS"},
     {"--capacity", "VCPUS"},
     {"--explain", "ID"},
     {"--shard", "I/N"},
     {"--title", "TITLE"},
     {"--seed", "SEED"},
     {"--format", "FORMAT"},
     {"--map", "NAME=COLUMN"},
     {"--columns", "NAME"},
     {"--spot-if", "CONDITION"},
     {"--only", "CONDITION"},
     {"--start-when", "CONDITION"},
     {"--end-when", "CONDITION"},
     {"--url", "ADDRESS"},
     {"--sha256", "DIGEST"},
     {"--host-cores", "MACHINE=TOTAL"},
     {"--host-memory", "MACHINE=TOTAL"},
     {"--machines", "MACHINE"},
     {"--confidence", "PROBABILITY"}});

/// The name of a value in help: by its option, or by its type.
std::string value_name(const CLI::Option& option) {
  for (const auto& [name, value] : kValueNames) {
    if (option.check_name(std::string(name))) return std::string(value);
  }
  const std::string type = option.get_type_name();
  // A choice is told whole: `TEXT:{on,off}`.
  const std::size_t choice = type.find('{');
  if (choice != std::string::npos) return type.substr(choice);
  if (type.starts_with("FLOAT")) return "NUMBER";
  if (type.starts_with("UINT") || type.starts_with("INT")) return "N";
  return "NAME";
}

/// ` KEY=VALUE ...`; empty for a flag.
std::string option_value(const CLI::Option& option) {
  const bool is_flag = option.get_type_name().empty();
  const std::string text = is_flag || option.get_positional() ? "" : " " + value_name(option);
  return option.get_expected_max() > 1 ? text + " ..." : text;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(30); }

  /// On a terminal headings stand out: what begins a line and ends with a colon.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const std::string plain = CLI::Formatter::make_help(app, std::move(name), mode);
    std::string text;
    for (std::size_t begin = 0; begin < plain.size();) {
      const std::size_t end = std::min(plain.find('\n', begin), plain.size());
      const std::string_view line = std::string_view(plain).substr(begin, end - begin);
      const bool is_heading = line.ends_with(':') && !line.starts_with(' ');
      text += is_heading ? inked(Ink::kBold, line, stdout) : std::string(line);
      if (end < plain.size()) text += '\n';
      begin = end + 1;
    }
    return text;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return option_value(*option);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return option_meaning(*option);
  }
  /// CLI11 writes `DATABASE(1x)` for one or two of them.
  std::string make_option_usage(const CLI::Option* option) const override {
    const bool is_list = option->get_expected_max() > 1;
    const std::string name = option->get_name(true) + (is_list ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }
};

CLI::App* find_command(CLI::App& app, std::string_view path) {
  CLI::App* command = &app;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find(' '));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    command = command->get_subcommand(std::string(name));
  }
  return command;
}

}  // namespace

void add_help(CLI::App& app) {
  const auto formatter = std::make_shared<HelpFormatter>();
  for_each_command(app, [&](CLI::App& command) { command.formatter(formatter); });
  for (const CommandHelp& help : command_helps()) {
    CLI::App* command = find_command(app, help.path);
    if (help.reader != nullptr) command->group(help.reader);
    if (help.examples.empty()) continue;
    std::string footer = help.examples.size() == 1 ? "Example:" : "Examples:";
    for (const std::string_view example : help.examples) {
      footer += fmt::format("\n  cospot {} {}", help.path, example);
    }
    if (help.is_study) {
      footer += fmt::format(
          "\n\nTo compare many settings, give `cospot compare` a study file with `study: {}`.",
          help.path.substr(0, help.path.find(' ')));
    }
    command->footer(footer + "\n");
  }
  app.footer(
      "Examples:\n"
      "  cospot tune azure2020:seed=1:scale=0.01 --host 10400,2250 --headroom-percent 2\n"
      "  cospot compare study.yaml --csv results.csv\n"
      "  cospot report results.db -o report.html\n\n"
      "`cospot help COMMAND` describes a command. Operators of OpenStack Nova use cospot-nova and\n"
      "cospot-evictor, which come with the Python package.\n");
}

std::string option_heading(const CLI::Option& option) {
  return option.get_name(option.get_positional(), true) + option_value(option);
}

std::string option_meaning(const CLI::Option& option) {
  constexpr std::size_t kLongestDefault = 40;
  std::string text = option.get_description();
  const std::string& value = option.get_default_str();
  const bool is_told = !value.empty() && value != "[]" && value.size() <= kLongestDefault;
  if (is_told && text.find("default") == std::string::npos) {
    text += fmt::format(" (default: {})", value);
  }
  for (const CLI::Option* other : option.get_excludes()) {
    text += fmt::format("; not with {}", other->get_name());
  }
  return text;
}

std::string command_path(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* outer = app.get_parent(); outer != nullptr; outer = outer->get_parent()) {
    path = outer->get_name() + " " + path;
  }
  return path;
}

}  // namespace cospot
