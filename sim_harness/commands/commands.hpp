#pragma once

#include <string>

#include "sim_harness/studies/study.hpp"

namespace CLI {
class App;
}

namespace cospot {

class PolicyLoader;

// The commands of the program `cospot`, one function per group. They run inside app.parse(), print
// to standard output and throw the types of core/errors.hpp. Loaders, registries and exit codes
// must outlive the app; a command sets `exit_code` when it does not end normally.

/// The parts of the program that commands on results need.
struct CompareCommandContext {
  const StudyRegistry* studies = nullptr;
  PolicyLoader* policies = nullptr;  ///< finds policies outside the registries
  int* exit_code = nullptr;          ///< 130 when a comparison was interrupted
};

/// `compare`, `merge` and `summary`.
void add_compare_commands(CLI::App& app, const CompareCommandContext& context);

/// `run`: one scenario, its event log, the explanation of one decision.
void add_run_command(CLI::App& app, PolicyLoader& loader, const StudyRegistry& studies);
/// `size`: the smallest number of hosts that fits a workload's VMs.
void add_size_command(CLI::App& app, PolicyLoader& loader);

/// `broker run` and `broker recommend`.
void add_broker_commands(CLI::App& app, PolicyLoader& loader);

/// `workload` with `info`, `sample` and `convert`. Returns the `workload` command, to which the
/// next four functions add subcommands.
CLI::App* add_workload_commands(CLI::App& app);
void add_generate_command(CLI::App& workload);
void add_import_command(CLI::App& workload);
void add_reconstruct_command(CLI::App& workload);
void add_fetch_command(CLI::App& workload);

/// `lifetime`: `spots` writes training data, `train` makes a model for LPML or LPKM, `eval`
/// measures its quality. The last two run Python and set `exit_code` to its exit code.
void add_lifetime_commands(CLI::App& app, int& exit_code);

/// `economy`: `plan` computes how much unused capacity can be promised from now on, `backtest`
/// checks past promises, `tasks` writes the forecasting tasks for another program.
void add_economy_commands(CLI::App& app, PolicyLoader& loader);

void add_list_command(CLI::App& app, const StudyRegistry& studies);
// `completion SHELL` and `man`, which cover all commands of `app`.
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);
void add_report_command(CLI::App& app, PolicyLoader& loader, const StudyRegistry& studies);
void add_tune_command(CLI::App& app, PolicyLoader& loader);
void add_plan_command(CLI::App& app, PolicyLoader& loader);

/// `sla`: `quote` estimates how long spots will live, `stand-in` writes a trace to try it on.
void add_sla_commands(CLI::App& app, PolicyLoader& loader);

void add_classes_command(CLI::App& app, PolicyLoader& loader);

/// `signals`: what customers can be told about spots, scored on held-out time.
void add_signals_command(CLI::App& app, PolicyLoader& loader);

/// The text of `list`: everything that a sweep file can name, one row each: name, summary, source.
/// `kind` is filters, weighers, evictors, studies, models or schemes (prefixes of names outside the
/// registries); empty: all of them, each under its heading.
///
/// Errors: ConfigError with the valid kinds.
[[nodiscard]] std::string list_text(const std::string& kind,
                                    const StudyRegistry& studies = built_in_studies());

/// The columns of a study's results and timeline, a row each: name, role, type, unit, meaning.
/// Without a name, of all studies. Errors: ConfigError with the valid names.
[[nodiscard]] std::string list_columns_text(const std::string& name,
                                            const StudyRegistry& studies = built_in_studies());

/// The same as JSON, with the columns of every study; docs/json.md describes its keys.
[[nodiscard]] Json list_json(const std::string& kind,
                             const StudyRegistry& studies = built_in_studies());

}  // namespace cospot
