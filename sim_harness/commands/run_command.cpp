#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <any>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/commands/run_result_text.hpp"
#include "sim_harness/commands/settings_text.hpp"
#include "sim_harness/data/imports/workload_list.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/provider/explain/event_log.hpp"
#include "sim_harness/provider/explain/explain.hpp"
#include "sim_harness/provider/explain/explain_text.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

struct RunArguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::optional<std::string> events;
  std::optional<std::string> explained_id;
  bool explain_all = false;
  TimingOption timing;
  bool json = false;
  WindowOption window;
  PriceOption price;
};

/// The input files of a run. An event log must not replace one.
std::vector<std::filesystem::path> inputs_of(const RunArguments& arguments) {
  const ConfigNode root = with_overrides(read_yaml_file(arguments.scenario), arguments.overrides);
  const std::filesystem::path scenario = arguments.scenario;
  std::vector<std::filesystem::path> inputs = files_named_in(root, scenario.parent_path());
  inputs.push_back(scenario);
  const std::vector<std::string>& prices = arguments.price.texts();
  inputs.insert(inputs.end(), prices.begin(), prices.end());
  return inputs;
}

/// One run of a scenario: of a study of the provider, with one value on every axis.
class ScenarioRun {
 public:
  ScenarioRun(const RunArguments& arguments, PolicyLoader& loader, const StudyRegistry& studies)
      : ScenarioRun(arguments,
                    read_study_file(arguments.scenario, arguments.overrides,
                                    arguments.window.window(), loader),
                    studies) {}

  void run() {
    const auto at = study_.first_run(settings_);
    RunOutcome outcome;
    ProviderStudy::Prepared prepared = study_.prepare(at, replay_, shared_, outcome);
    if (explained_) require_explicable(prepared.parts);
    require_one_observer(prepared.parts);
    const RunSettings& settings = prepared.settings;
    ProviderRun simulation(workload_, *replay_.schedule, settings,
                           settings.host.table(settings.hosts), std::move(prepared.parts));
    SimulationEngine& engine = simulation.engine();
    std::optional<EventLog> log;
    if (arguments_.events) {
      log.emplace(*arguments_.events, workload_, engine.hosts(), engine.datacenter().levels());
    }
    RunObserver* observer = log ? &*log : nullptr;
    std::optional<ExplainWatch> watch;
    if (explained_) observer = &watch.emplace(*explained_, settings, observer);
    if (observer != nullptr) engine.set_observer(observer);
    simulation.run();
    if (log) log->finish();
    study_.finish(at, replay_, shared_, prepared, simulation, outcome);
    study_.read(at, outcome);
    if (watch) print(explained_text(*watch));
    if (arguments_.json) return print_json(result_json(settings, outcome));
    print(result_text(settings, outcome));
  }

 private:
  ScenarioRun(const RunArguments& arguments, const StudyFile& file, const StudyRegistry& studies)
      : arguments_(arguments),
        study_(studies.preset_of(file.root), file.root),
        settings_(read_scenario(study_, file)),
        requests_(study_.load(settings_)),
        replay_(requests_->replay(study_.first_run(settings_), replayed_)),
        workload_(*replay_.workload),
        shared_(study_.share(settings_, workload_)),
        words_{.unit = unit_of(settings_),
               .prices = arguments.price.or_of(file).of(workload_, spec_of(settings_, workload_)),
               .window_days = static_cast<double>(workload_.window.count()) /
                              static_cast<double>(SimTime(kDay).count())} {
    // Economy instances cost what --price says, else what the file does, as in summaries.
    if (words_.prices && !words_.prices->economy) {
      words_.prices->economy = settings_.economy_price * words_.prices->on_demand;
    }
    if (arguments.events)
      require_usable_output("--events", *arguments.events, inputs_of(arguments));
    print_warnings(requests_->warnings);
    if (arguments.explained_id) explained_ = find_request(workload_, *arguments.explained_id);
    require_possible_placements(workload_, *replay_.schedule, settings_.host, replay_.hosts);
  }

  [[nodiscard]] static ProviderStudySettings read_scenario(const ProviderStudy& study,
                                                           const StudyFile& file) {
    ProviderStudySettings settings = study.table().read(file);
    require_one_run(file.root, study.table().axes(settings));
    return settings;
  }

  [[nodiscard]] static WorkloadSpec spec_of(const ProviderStudySettings& settings,
                                            const Workload& workload) {
    if (!settings.workloads.empty()) return settings.workloads.front();
    return {.label = workload.name, .file = {}, .synthetic = {}};
  }

  void require_one_observer(const ProviderParts& parts) const {
    if (parts.observer == nullptr || (!arguments_.events && !explained_)) return;
    throw ConfigError(
        "--events, --explain: found in a scenario with 'signal', which watches the run itself; "
        "expected one without");
  }

  static void require_explicable(const ProviderParts& parts) {
    const bool draws = parts.loose ? parts.loose->top > 1
                                   : parts.schedulers && parts.schedulers->host_subset_size > 1;
    if (!draws) return;
    throw ConfigError(
        "--explain: the host is drawn from the first 'host_subset_size' of the ranking, which no "
        "policy explains; expected a scenario with 1");
  }

  [[nodiscard]] std::string explained_text(const ExplainWatch& watch) const {
    if (!watch.explanation()) {
      return fmt::format("Request {} was withdrawn before it was decided.\n\n",
                         *arguments_.explained_id);
    }
    const ExplainDetail detail =
        arguments_.explain_all ? ExplainDetail::kAllHosts : ExplainDetail::kBest;
    return explanation_text(*watch.explanation(), workload_, detail, words_.unit) + "\n";
  }

  /// The number of hosts to which a headroom is added.
  [[nodiscard]] std::optional<std::size_t> least_hosts() const {
    if (settings_.sizes.empty() || !settings_.sizes.front().percent) return std::nullopt;
    ProviderStudySettings least = settings_;
    least.sizes.front().percent = 0;
    RunOutcome outcome;
    return requests_->replay(study_.first_run(least), outcome).hosts;
  }

  /// The axes beside policies, workload and hosts, of which other lines tell.
  template <class Use>
  void for_each_further_axis(const Use& use) const {
    static constexpr std::array<std::string_view, 8> kTold{
        "workload", "headroom_percent", "hosts", "vm", "spot", "evictor", "saf", "otn"};
    const std::vector<Column> columns = study_.table().columns();
    const std::vector<GridAxis> axes = study_.table().axes(settings_);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool is_told = std::ranges::find(kTold, axes[i].name) != kTold.end();
      if (!is_told) use(columns[i], axes[i].values.front());
    }
  }

  /// The measures are the columns of the study, by their names.
  [[nodiscard]] Json result_json(const RunSettings& settings, const RunOutcome& outcome) const {
    Json measures = Json::object();
    for (const Measure<RunOutcome>& one : study_.measures()) {
      if (!one.column.is_in_csv()) continue;
      measures[one.column.name] = json_of(
          one.column, with_timing(one.column, one.read(outcome), arguments_.timing.timing()));
    }
    const std::optional<std::size_t> least = least_hosts();
    Json json{
        {"workload", workload_.name},
        {"workload_sha256", workload_.sha256},
        {"window_days", Json::parse(window_days_text(workload_.window))},
        {"host", full_host_json(settings.host)},
        {"headroom_percent",
         json_of(least ? settings_.sizes.front().percent : std::optional<double>())},
        {"least_hosts", least ? Json(*least) : Json()},
    };
    json.update(setting_json(settings));
    for_each_further_axis([&](const Column& axis, const AxisValue& value) {
      json[axis.name] = json_of(axis, value.value);
    });
    json["measures"] = std::move(measures);
    if (words_.prices) {
      json["money"] = run_money_json(outcome.levels, words_);
    }
    return json;
  }

  [[nodiscard]] std::string result_text(const RunSettings& settings,
                                        const RunOutcome& outcome) const {
    std::string text = settings_text(settings);
    for_each_further_axis([&](const Column& axis, const AxisValue& value) {
      text += fmt::format("{} {}\n", axis.name, value.label);
    });
    text +=
        "\n" + run_result_text(outcome.levels, outcome.run(), arguments_.timing.timing(), words_);
    for (const StudyPart* part : study_.parts()) text += part_text(*part, outcome);
    return text;
  }

  /// The measures that a part adds to every run's, without those that are 0.
  [[nodiscard]] static std::string part_text(const StudyPart& part, const RunOutcome& outcome) {
    const std::vector<Column>& known = compare_schema().measures;
    if (part.measures.empty()) return {};
    TextTable table;
    table.add_column(std::string(part.name()), TextTable::Align::kLeft);
    table.add_column("");
    table.add_column("", TextTable::Align::kLeft);
    bool nothing_happened = true;
    for (const Measure<RunOutcome>& one : part.measures) {
      const Column& column = one.column;
      if (!column.is_in_csv() || column.role == ColumnRole::kTime ||
          std::ranges::find(known, column.name, &Column::name) != known.end() ||
          column.name.starts_with("economy_")) {  // the table above has it
        continue;
      }
      const std::string amount = amount_of(one.read(outcome));
      if (amount.empty() || amount == "0" || amount == "0.0") continue;
      table.add_row({column.name, amount, column.unit + " " + column.meaning});
      nothing_happened = false;
    }
    return nothing_happened ? fmt::format("\n{}: nothing happened\n", part.name())
                            : "\n" + table.text();
  }

  [[nodiscard]] static std::string amount_of(const Value& value) {
    if (const auto* count = std::get_if<std::int64_t>(&value)) return count_text(*count);
    if (const auto* number = std::get_if<double>(&value)) return amount_text(*number);
    if (const auto* revenue = std::get_if<Revenue>(&value)) {
      return amount_text(vcpu_seconds(*revenue));
    }
    return {};
  }

  [[nodiscard]] std::string settings_text(const RunSettings& settings) const {
    std::string hosts =
        settings.host.is_plain()
            ? fmt::format("{} of {}", settings.hosts,
                          host_text(settings.host.largest_total(), words_.unit))
            : fmt::format("{}: {}", settings.hosts, types_text(settings.host, settings.hosts));
    if (const std::optional<std::size_t> least = least_hosts()) {
      hosts +=
          fmt::format("; {} fit the VMs, {} % headroom", *least, *settings_.sizes.front().percent);
    }
    return fmt::format("workload  {}\n{}hosts     {}\npolicies  {}\n", workload_.name,
                       window_text(workload_), hosts, settings.named_label());
  }

  const RunArguments& arguments_;
  ProviderStudy study_;
  ProviderStudySettings settings_;
  std::unique_ptr<StudyRequests> requests_;
  RunOutcome replayed_;
  Replay replay_;
  const Workload& workload_;
  std::vector<std::any> shared_;
  RevenueWords words_;
  std::optional<InstanceIndex> explained_;
};

}  // namespace

void add_run_command(CLI::App& app, PolicyLoader& loader, const StudyRegistry& studies) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Simulate one scenario");
  command->add_option("SCENARIO", arguments->scenario, "Scenario file (YAML)")->required();
  add_set_option(*command, arguments->overrides, "Override a key: otn=4, host.vcpus=64");
  arguments->window.add_to(*command);
  command->add_option("--events", arguments->events,
                      "Write every event as CSV; gzip-compressed if it ends in .gz");
  CLI::Option* explain = command->add_option("--explain", arguments->explained_id,
                                             "Print why this request gets the host it gets");
  command->add_flag("--explain-all", arguments->explain_all, "Explain with all hosts")
      ->needs(explain);
  arguments->timing.add_to(*command, "on, or off: omit times, so that output is reproducible");
  add_json_flag(*command, arguments->json)->excludes(explain);
  arguments->price.add_to(*command);
  command->callback(
      [arguments, &loader, &studies] { ScenarioRun(*arguments, loader, studies).run(); });
}

}  // namespace cospot
