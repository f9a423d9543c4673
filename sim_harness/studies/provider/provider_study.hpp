#pragma once

#include <any>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/studies/provider/study_part.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// What one run replays, and on how many hosts. All of it lives as long as `owner`.
struct Replay {
  const Workload* workload = nullptr;
  const EventSchedule* schedule = nullptr;
  std::size_t hosts = 0;
  std::size_t workload_index = 0;  ///< of those that runs share; of one of its own: none
  bool is_shared = true;
  std::shared_ptr<const void> owner{};
};

/// The requests of a study's runs, loaded once. Any thread may ask for a replay.
class StudyRequests {
 public:
  StudyRequests() = default;
  StudyRequests(const StudyRequests&) = delete;
  StudyRequests& operator=(const StudyRequests&) = delete;
  virtual ~StudyRequests() = default;

  /// `outcome` is told what is known of the requests.
  [[nodiscard]] virtual Replay replay(const GridPoint<ProviderStudySettings>& at,
                                      RunOutcome& outcome) const = 0;
  /// Those that runs share; none where each run has its own.
  [[nodiscard]] virtual std::vector<const Workload*> shared() const { return {}; }

  std::vector<InputRecord> records{};
  std::vector<SimTime> windows{};  ///< in force; empty: as the settings have them
  std::vector<std::string> warnings{};
};

/// A short form of the provider's study: which keys its files have, which parts are asked for by
/// it, and what is told of its runs. Every other part combines with it.
struct ProviderPreset {
  std::string_view name;
  std::string_view summary;
  std::string_view subject = "study";  ///< what its file is, for errors
  std::vector<SettingRow<ProviderStudySettings>> rows;
  /// Axes only where the file has several values of theirs; else `rows` read the one.
  std::vector<SettingRow<ProviderStudySettings>> rows_of_several{};
  std::vector<std::string_view> parts{};  ///< by name
  std::vector<Measure<RunOutcome>> measures;
  std::vector<DerivedMeasure> derived{};
  std::string (*views)(std::span<const Column> axes) = nullptr;  ///< before `run_figures`
  std::string joins{};
  /// Behind it, where no other part is asked for.
  std::string (*own_views)(std::span<const Column> axes) = nullptr;
  StudyFigures figures{};
  StudyMoney money{};
  /// Not empty: it takes no other part, and why.
  std::string_view alone_because{};
  /// Where the requests come from, if not from `workloads` alone.
  std::unique_ptr<StudyRequests> (*load)(const ProviderStudySettings& settings,
                                         WorkloadClasses classes) = nullptr;
  /// What is set beside what the axes say.
  void (*complete)(const PartRun& run) = nullptr;
};

/// A file of a provider's study: its preset, and the parts that it asks for.
class ProviderStudy {
 public:
  /// Errors: ConfigError when parts cannot be combined.
  ProviderStudy(const ProviderPreset& preset, const ConfigNode& root, bool keeps_timeline = false);

  [[nodiscard]] const SettingTable<ProviderStudySettings>& table() const { return table_; }
  /// The first run of the grid: of a scenario, the only one.
  [[nodiscard]] GridPoint<ProviderStudySettings> first_run(
      const ProviderStudySettings& settings) const {
    return table_.at(settings, Coordinates(table_.axis_names().size(), 0));
  }
  /// Those that the file or the preset asks for.
  [[nodiscard]] std::span<const StudyPart* const> parts() const { return parts_; }
  /// Whether the file asks for parts that the preset does not have.
  [[nodiscard]] bool has_further_parts() const { return parts_.size() > preset_->parts.size(); }
  /// Whether runs that differ in evictor, SAF and OTN alone have a common beginning that is
  /// simulated once: only where no part takes part in them.
  [[nodiscard]] bool simulates_together() const {
    return parts_.empty() && preset_->load == nullptr && preset_->complete == nullptr;
  }
  /// Axes that change no run, but say what of it is looked at (StudyPart::read).
  [[nodiscard]] std::vector<std::string_view> read_axes() const;
  /// Takes what a point of these axes looks at of a run that is over.
  void read(const GridPoint<ProviderStudySettings>& at, RunOutcome& outcome) const;
  [[nodiscard]] Schema schema() const;
  [[nodiscard]] const std::vector<Measure<RunOutcome>>& measures() const { return measures_; }
  /// What its runs keep of each day; nothing unless asked for.
  [[nodiscard]] const std::vector<Measure<TimelineDay>>& timeline() const { return timeline_; }

  [[nodiscard]] std::unique_ptr<StudyRequests> load(const ProviderStudySettings& settings) const;
  /// What each part wants of a workload, by part.
  [[nodiscard]] std::vector<std::any> share(const ProviderStudySettings& settings,
                                            const Workload& workload) const;

  /// Simulates a run. `shared`: by workload.
  [[nodiscard]] RunOutcome run(const GridPoint<ProviderStudySettings>& at,
                               const StudyRequests& requests,
                               std::span<const std::vector<std::any>> shared) const;

  /// A run that is ready to start. `outcome` gets what is known before.
  struct Prepared {
    RunSettings settings;
    ProviderParts parts;
  };
  [[nodiscard]] Prepared prepare(const GridPoint<ProviderStudySettings>& at, const Replay& replay,
                                 std::span<const std::any> shared, RunOutcome& outcome) const;
  /// The parts of a run whose policies and hosts are `settings`.
  [[nodiscard]] ProviderParts parts_of(const GridPoint<ProviderStudySettings>& at,
                                       const Workload& workload, std::span<const std::any> shared,
                                       RunSettings& settings, RunOutcome& outcome) const;
  /// Adds to `outcome` what a run that is over came to.
  void finish(const GridPoint<ProviderStudySettings>& at, const Replay& replay,
              std::span<const std::any> shared, Prepared& prepared, const ProviderRun& run,
              RunOutcome& outcome) const;

 private:
  const ProviderPreset* preset_;
  std::vector<const StudyPart*> parts_;
  SettingTable<ProviderStudySettings> table_;
  std::vector<Measure<RunOutcome>> measures_;
  std::vector<Measure<TimelineDay>> timeline_;
};

/// A scenario is one run. Errors: ConfigError that names an axis with several values.
void require_one_run(const ConfigNode& root, const std::vector<GridAxis>& axes);

/// The experiment that a file is. `seen`: hears of every run, for what no column holds.
[[nodiscard]] Experiment load_provider_experiment(
    const ProviderStudy& study, ProviderStudySettings settings,
    const std::function<void(const RunOutcome&)>& seen = {});

/// The row of the registry. The preset lives as long as the program.
[[nodiscard]] Study provider_study(const ProviderPreset& preset);

/// What is told of a database's runs: of the preset, and of the parts that its schema has.
[[nodiscard]] StudyFigures figures_of(const ProviderPreset& preset, const Schema& schema);
[[nodiscard]] StudyMoney money_of(const ProviderPreset& preset, const Schema& schema);

/// Those that stand in the registry beside `compare` and `sla`: a part's own short form each.
[[nodiscard]] const ProviderPreset& life_preset();
[[nodiscard]] const ProviderPreset& levels_preset();
[[nodiscard]] const ProviderPreset& schedulers_preset();
[[nodiscard]] const ProviderPreset& degradation_preset();
[[nodiscard]] const ProviderPreset& notice_preset();
[[nodiscard]] const ProviderPreset& signals_preset();

}  // namespace cospot
