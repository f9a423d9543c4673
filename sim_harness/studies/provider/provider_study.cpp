#include "sim_harness/studies/provider/provider_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/studies/provider/grouped_runs.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/timeline_measures.hpp"

namespace cospot {
namespace {

using S = ProviderStudySettings;

bool is_in(std::string_view name, const std::vector<std::string_view>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Adds those of which there is none of that name.
template <class T, class Name>
void add_new(std::vector<T>& all, const std::vector<T>& more, const Name& name_of) {
  for (const T& one : more) {
    const bool is_there =
        std::ranges::any_of(all, [&](const T& other) { return name_of(other) == name_of(one); });
    if (!is_there) all.push_back(one);
  }
}

constexpr auto kMeasureName = [](const auto& one) -> std::string_view { return one.column.name; };
constexpr auto kName = [](const auto& one) -> std::string_view { return one.name; };

/// The workloads of a file, and its datacenters sized for their VMs.
class WorkloadRequests final : public StudyRequests {
 public:
  WorkloadRequests(const S& settings, WorkloadClasses classes, bool are_vms_alone)
      : inputs_(load_provider_inputs(settings.workloads, settings.host, settings.sizes,
                                     settings.sized_policies(), classes)),
        are_vms_alone_(are_vms_alone) {
    records = inputs_.records;
    windows = inputs_.windows;
    warnings = inputs_.warnings;
  }

  [[nodiscard]] Replay replay(const GridPoint<S>& at, RunOutcome& outcome) const override {
    SharedWorkload& workload = *inputs_.workloads[at.index(kWorkloadAxis)];
    const WorkloadSpec& spec = at.get(kWorkloadAxis);
    outcome.workload_sha256 = records[at.index(kWorkloadAxis)].sha256;
    outcome.workload_seed = spec.synthetic ? spec.synthetic->seed : 0;
    return {.workload = &workload.workload(),
            .schedule = are_vms_alone_ ? &workload.vm_schedule() : &workload.schedule(),
            .hosts = workload.hosts(at.get(kSizeAxis), at.index(kVmAxis)),
            .workload_index = at.index(kWorkloadAxis)};
  }

  [[nodiscard]] std::vector<const Workload*> shared() const override {
    std::vector<const Workload*> all;
    for (const auto& workload : inputs_.workloads) all.push_back(&workload->workload());
    return all;
  }

 private:
  ProviderInputs inputs_;
  bool are_vms_alone_;
};

/// `run_figures`: the axes and what is derived of them.
std::string figures_view(std::span<const Column> axes, std::span<const DerivedMeasure> derived,
                         const std::string& joins) {
  std::string sql = "CREATE VIEW run_figures AS\nSELECT run.run_index, " + axes_sql(axes);
  for (const DerivedMeasure& one : derived) {
    sql += fmt::format(",\n  {} AS {}", one.sql, one.column.name);
  }
  return sql + "\nFROM run" + joins + ";\n";
}

/// The parts whose axis a schema has.
std::vector<const StudyPart*> parts_in(const Schema& schema) {
  std::vector<const StudyPart*> found;
  for (const StudyPart& part : study_parts()) {
    if (std::ranges::find(schema.axes, part.name(), &Column::name) != schema.axes.end()) {
      found.push_back(&part);
    }
  }
  return found;
}

/// The data that all runs of an experiment share.
struct SharedRuns {
  ProviderStudy study;
  S settings;
  std::unique_ptr<StudyRequests> requests;
  std::vector<std::vector<std::any>> shared{};  // by workload, by part
  std::unique_ptr<GroupedRuns> grouped{};       // where runs are simulated together

  void run(std::span<const GridPoint<S>> runs, std::span<const Coordinates> simulations,
           const std::function<void(std::size_t, const RunOutcome&)>& record) const {
    if (grouped != nullptr) return grouped->simulate(runs, *requests, record);
    std::map<Coordinates, RunOutcome> simulated;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (study.read_axes().empty()) simulated.clear();  // nobody asks for it again
      const auto [found, is_new] = simulated.try_emplace(simulations[i]);
      if (is_new) found->second = study.run(runs[i], *requests, shared);
      study.read(runs[i], found->second);
      record(i, found->second);
    }
  }
};

/// The axes that the runs of a group share. Runs that differ in their seed alone take about as
/// long.
std::vector<std::string> group_axes(const ProviderStudy& study) {
  if (study.simulates_together()) {
    return axis_names(kWorkloadAxis, kSizeAxis, kVmAxis, kSpotAxis);
  }
  std::vector<std::string> axes = study.table().axis_names();
  if (axes.back() == kSeedAxis.name) axes.pop_back();
  for (const std::string_view read : study.read_axes()) {
    axes.erase(std::ranges::find(axes, read), axes.end());
  }
  return axes;
}

/// The place of a run on the axes that change it.
Coordinates simulated_at(const ProviderStudy& study, Coordinates run) {
  for (const std::string_view read : study.read_axes()) run[study.table().position(read)] = 0;
  return run;
}

}  // namespace

ProviderStudy::ProviderStudy(const ProviderPreset& preset, const ConfigNode& root,
                             bool keeps_timeline)
    : preset_(&preset),
      table_(std::string(preset.subject), preset.rows),
      measures_(preset.measures) {
  for (const SettingRow<S>& row : preset.rows_of_several) {
    const ConfigNode* node = root.find(row.keys().front());
    if (node != nullptr && node->items.size() > 1) table_.add(std::span(&row, 1));
  }
  bool draws = false;
  std::string_view further;
  for (const StudyPart& part : study_parts()) {
    const bool is_own = is_in(part.name(), preset.parts);
    if (!is_own && !part.is_asked_for_by(root)) {
      if (preset.alone_because.empty()) table_.name_others(part.rows);
      continue;
    }
    if (!is_own) further = part.name();
    table_.add(std::span(part.rows));
    draws = draws || part.draws;
    add_new(measures_, part.measures, kMeasureName);
    parts_.push_back(&part);
  }
  if (!further.empty() && !preset.alone_because.empty()) {
    const ConfigNode* node = root.find(further);
    throw ConfigError(fmt::format("{}: found '{}' in a study of '{}': {}",
                                  key_place(node == nullptr ? root : *node, further), further,
                                  preset.name, preset.alone_because));
  }
  const std::vector<SettingRow<S>> seed{kSeedAxis};
  if (draws) table_.add(std::span(seed));
  std::vector<std::string> axes = table_.axis_names();
  std::erase_if(measures_, [&](const Measure<RunOutcome>& one) {
    return std::ranges::find(axes, one.column.name) != axes.end();
  });
  if (keeps_timeline) {
    timeline_ = timeline_measures(std::ranges::any_of(parts_, [](const StudyPart* part) {
      return part->classes == WorkloadClasses::kWithEconomy;
    }));
  }
}

Schema ProviderStudy::schema() const {
  const std::vector<Column> axes = table_.columns();
  Schema schema{.study = std::string(preset_->name),
                .axes = axes,
                .measures = columns_of(std::span(measures_)),
                .timeline = columns_of(std::span(timeline_))};
  std::vector<DerivedMeasure> derived = preset_->derived;
  std::string joins = preset_->joins;
  if (preset_->views != nullptr) schema.views += preset_->views(axes);
  for (const StudyPart* part : parts_) {
    add_new(derived, part->derived, kMeasureName);
    joins += part->joins;
    if (part->views != nullptr) schema.views += part->views(axes);
  }
  for (const DerivedMeasure& one : derived) {
    if (one.column.role == ColumnRole::kDerived) schema.derived.push_back(one.column);
  }
  if (!derived.empty()) schema.views += figures_view(axes, derived, joins);
  if (preset_->own_views != nullptr && !has_further_parts()) {
    schema.views += preset_->own_views(axes);
  }
  return schema;
}

std::vector<std::string_view> ProviderStudy::read_axes() const {
  std::vector<std::string_view> axes;
  for (const StudyPart* part : parts_) {
    if (part->read != nullptr) axes.push_back(part->name());
  }
  return axes;
}

void ProviderStudy::read(const GridPoint<S>& at, RunOutcome& outcome) const {
  for (const StudyPart* part : parts_) {
    if (part->read != nullptr) part->read(at, outcome);
  }
}

std::unique_ptr<StudyRequests> ProviderStudy::load(const S& settings) const {
  WorkloadClasses classes = WorkloadClasses::kVmsAndSpots;
  for (const StudyPart* part : parts_) classes = std::max(classes, part->classes);
  if (preset_->load != nullptr) return preset_->load(settings, classes);
  return std::make_unique<WorkloadRequests>(settings, classes, settings.spot.empty());
}

std::vector<std::any> ProviderStudy::share(const S& settings, const Workload& workload) const {
  std::vector<std::any> shared;
  for (const StudyPart* part : parts_) {
    shared.push_back(part->share == nullptr ? std::any() : part->share(settings, workload));
  }
  return shared;
}

RunOutcome ProviderStudy::run(const GridPoint<S>& at, const StudyRequests& requests,
                              std::span<const std::vector<std::any>> shared) const {
  RunOutcome outcome;
  const Replay replay = requests.replay(at, outcome);
  std::vector<std::any> own;
  if (!replay.is_shared) own = share(at.settings(), *replay.workload);
  const std::span<const std::any> of = replay.is_shared ? shared[replay.workload_index] : own;
  Prepared prepared = prepare(at, replay, of, outcome);
  const RunSettings& settings = prepared.settings;  // a part may have changed the hosts
  ProviderRun run(*replay.workload, *replay.schedule, settings, settings.host.table(settings.hosts),
                  std::move(prepared.parts));
  run.run();
  finish(at, replay, of, prepared, run, outcome);
  return outcome;
}

ProviderStudy::Prepared ProviderStudy::prepare(const GridPoint<S>& at, const Replay& replay,
                                               std::span<const std::any> shared,
                                               RunOutcome& outcome) const {
  Prepared made{.settings = run_settings_at(at, replay.hosts), .parts = {}};
  outcome.window = replay.workload->window;
  if (preset_->complete != nullptr) {
    preset_->complete({at, *replay.workload, {}, made.settings, made.parts, outcome});
  }
  made.parts = parts_of(at, *replay.workload, shared, made.settings, outcome);
  made.parts.keeps_days = !timeline_.empty();
  return made;
}

ProviderParts ProviderStudy::parts_of(const GridPoint<S>& at, const Workload& workload,
                                      std::span<const std::any> shared, RunSettings& settings,
                                      RunOutcome& outcome) const {
  ProviderParts parts;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->add == nullptr) continue;
    parts_[i]->add({at, workload, shared[i], settings, parts, outcome});
  }
  return parts;
}

void ProviderStudy::finish(const GridPoint<S>& at, const Replay& replay,
                           std::span<const std::any> shared, Prepared& prepared,
                           const ProviderRun& run, RunOutcome& outcome) const {
  outcome.life = run.result();
  outcome.levels = run.engine().level_outcomes();
  outcome.schedulers = run.engine().scheduler_result();
  outcome.refreshes = run.refreshes();
  outcome.notices = run.engine().notice_result();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->finish == nullptr) continue;
    parts_[i]->finish(
        {at, *replay.workload, shared[i], prepared.settings, prepared.parts, outcome});
  }
}

VcpusUnit unit_of(const S& settings) {
  return settings.workloads.empty() ? settings.vm_sources.front().unit
                                    : vcpus_unit_of(settings.workloads.front());
}

void require_one_run(const ConfigNode& root, const std::vector<GridAxis>& axes) {
  for (const GridAxis& axis : axes) {
    if (axis.values.size() == 1) continue;
    const ConfigNode* node = root.find(axis.key);
    throw ConfigError(fmt::format("{}: found {} values, expected one: a scenario is one run",
                                  key_place(node == nullptr ? root : *node, axis.key),
                                  axis.values.size()));
  }
}

Experiment load_provider_experiment(const ProviderStudy& study, S settings,
                                    const std::function<void(const RunOutcome&)>& seen) {
  const auto runs = std::make_shared<SharedRuns>(SharedRuns{study, std::move(settings), nullptr});
  runs->requests = study.load(runs->settings);
  for (const Workload* workload : runs->requests->shared()) {
    runs->shared.push_back(study.share(runs->settings, *workload));
  }
  if (!runs->requests->windows.empty()) {
    runs->settings.workloads = as_recorded(runs->settings.workloads, runs->requests->windows);
  }
  std::vector<InputRecord> inputs = runs->requests->records;
  add_named_files(runs->settings.host, runs->settings.evictors, inputs);
  for (const LifeSettings& life : runs->settings.lives) add_life_files(life, inputs);
  Experiment experiment{.schema = study.schema(),
                        .axes = study.table().axes(runs->settings),
                        .group_by = group_axes(study),
                        .configuration = compact_json(study.table().json(runs->settings)),
                        .inputs = std::move(inputs),
                        .warnings = runs->requests->warnings};
  const auto at = [runs, grid = experiment.grid()](std::size_t run) {
    return runs->study.table().at(runs->settings, grid.coordinates(run));
  };
  experiment.run_group = [runs, at, seen, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordRun& record) {
    std::vector<GridPoint<S>> points;
    std::vector<Coordinates> simulations;
    for (const std::size_t run : pending) {
      points.push_back(at(run));
      simulations.push_back(simulated_at(runs->study, grid.coordinates(run)));
    }
    runs->run(points, simulations, [&](std::size_t i, const RunOutcome& outcome) {
      if (seen) seen(outcome);
      std::vector<Measures> timeline;
      for (const TimelineDay& day : outcome.run().days) {
        timeline.push_back(values_of(std::span(runs->study.timeline()), day));
      }
      record(pending[i],
             {values_of(std::span(runs->study.measures()), outcome), std::move(timeline)});
    });
  };
  if (study.simulates_together()) {
    runs->grouped = std::make_unique<GroupedRuns>(runs->settings, !study.timeline().empty());
    experiment.run_configuration = [at](std::size_t run, const Measures& measures) {
      return run_json(at(run), static_cast<std::size_t>(std::get<std::int64_t>(measures.front())));
    };
  }
  return experiment;
}

StudyFigures figures_of(const ProviderPreset& preset, const Schema& schema) {
  StudyFigures figures = preset.figures;
  for (const StudyPart* part : parts_in(schema)) {
    if (!is_in(part->name(), preset.parts)) add_new(figures.figures, part->figures, kName);
  }
  return figures;
}

StudyMoney money_of(const ProviderPreset& preset, const Schema& schema) {
  StudyMoney money = preset.money;
  for (const StudyPart* part : parts_in(schema)) {
    if (is_in(part->name(), preset.parts)) continue;
    add_new(money.columns, part->money, kName);
    money.joins += part->money_joins;
  }
  return money;
}

Study provider_study(const ProviderPreset& preset) {
  return {.name = preset.name,
          .summary = preset.summary,
          .page = preset.page,
          .schema = [&preset] { return ProviderStudy(preset, ConfigNode{}).schema(); },
          .read = [&preset](const StudyFile& file) -> LoadExperiment {
            const ProviderStudy study(preset, file.root, file.keeps_timeline);
            return [study, settings = study.table().read(file)] {
              return load_provider_experiment(study, settings);
            };
          },
          .figures = [&preset](const Schema& schema) { return figures_of(preset, schema); },
          .money = [&preset](const Schema& schema) { return money_of(preset, schema); },
          .provider = &preset};
}

}  // namespace cospot
