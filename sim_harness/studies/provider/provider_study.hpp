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

/// The requests of one run and its number of hosts. Everything lives as long as `owner`.
struct Replay {
  const Workload* workload = nullptr;
  const EventSchedule* schedule = nullptr;
  std::size_t hosts = 0;
  std::size_t workload_index = 0;  ///< among the shared workloads; none for a run with its own
  bool is_shared = true;
  std::shared_ptr<const void> owner{};
};

/// The requests of a study's runs, loaded once. replay() is thread-safe.
class StudyRequests {
 public:
  StudyRequests() = default;
  StudyRequests(const StudyRequests&) = delete;
  StudyRequests& operator=(const StudyRequests&) = delete;
  virtual ~StudyRequests() = default;

  /// Writes what is known about the requests to `outcome`.
  [[nodiscard]] virtual Replay replay(const GridPoint<ProviderStudySettings>& at,
                                      RunOutcome& outcome) const = 0;
  /// The workloads shared by runs; none if each run has its own.
  [[nodiscard]] virtual std::vector<const Workload*> shared() const { return {}; }

  std::vector<InputRecord> records{};
  std::vector<SimTime> windows{};  ///< in force; empty: those of the settings
  std::vector<std::string> warnings{};
};

/// A preset of the provider's study: the keys of its files, the parts that it requests, and the
/// figures of its runs. All other parts combine with it.
struct ProviderPreset {
  std::string_view name;
  std::string_view summary;
  std::string_view page{};             ///< as in Study
  std::string_view subject = "study";  ///< what its file is, for errors
  std::vector<SettingRow<ProviderStudySettings>> rows;
  /// Axes only if the file gives them several values; otherwise `rows` reads the single value.
  std::vector<SettingRow<ProviderStudySettings>> rows_of_several{};
  std::vector<std::string_view> parts{};  ///< by name
  std::vector<Measure<RunOutcome>> measures;
  std::vector<DerivedMeasure> derived{};
  std::string (*views)(std::span<const Column> axes) = nullptr;  ///< created before `run_figures`
  std::string joins{};
  /// Created after it, if no other part is requested.
  std::string (*own_views)(std::span<const Column> axes) = nullptr;
  StudyFigures figures{};
  StudyMoney money{};
  /// If not empty: the reason why it combines with no other part.
  std::string_view alone_because{};
  /// The source of requests, if other than `workloads`.
  std::unique_ptr<StudyRequests> (*load)(const ProviderStudySettings& settings,
                                         WorkloadClasses classes) = nullptr;
  /// Sets what depends on more than the axes.
  void (*complete)(const PartRun& run) = nullptr;
};

/// A file of a provider's study: its preset and the parts that it requests.
class ProviderStudy {
 public:
  /// Errors: ConfigError if parts cannot be combined.
  ProviderStudy(const ProviderPreset& preset, const ConfigNode& root, bool keeps_timeline = false);

  [[nodiscard]] const SettingTable<ProviderStudySettings>& table() const { return table_; }
  /// The first run of the grid; a scenario has no other.
  [[nodiscard]] GridPoint<ProviderStudySettings> first_run(
      const ProviderStudySettings& settings) const {
    return table_.at(settings, Coordinates(table_.axis_names().size(), 0));
  }
  /// The parts requested by the file or the preset.
  [[nodiscard]] std::span<const StudyPart* const> parts() const { return parts_; }
  /// True if the file requests parts beyond the preset's.
  [[nodiscard]] bool has_further_parts() const { return parts_.size() > preset_->parts.size(); }
  /// True if runs that differ only in evictor, SAF and OTN share a common beginning that is
  /// simulated once: only if no part is involved.
  [[nodiscard]] bool simulates_together() const {
    return parts_.empty() && preset_->load == nullptr && preset_->complete == nullptr;
  }
  /// Axes that do not change a run but select what is read from it (StudyPart::read).
  [[nodiscard]] std::vector<std::string_view> read_axes() const;
  /// Reads from a finished run what a point of these axes selects.
  void read(const GridPoint<ProviderStudySettings>& at, RunOutcome& outcome) const;
  [[nodiscard]] Schema schema() const;
  [[nodiscard]] const std::vector<Measure<RunOutcome>>& measures() const { return measures_; }
  /// The daily columns of its runs; empty unless requested.
  [[nodiscard]] const std::vector<Measure<TimelineDay>>& timeline() const { return timeline_; }

  [[nodiscard]] std::unique_ptr<StudyRequests> load(const ProviderStudySettings& settings) const;
  /// Each part's shared data for a workload, by part.
  [[nodiscard]] std::vector<std::any> share(const ProviderStudySettings& settings,
                                            const Workload& workload) const;

  /// Simulates a run. `shared` is by workload.
  [[nodiscard]] RunOutcome run(const GridPoint<ProviderStudySettings>& at,
                               const StudyRequests& requests,
                               std::span<const std::vector<std::any>> shared) const;

  /// A run that is ready to start. `outcome` gets what is known in advance.
  struct Prepared {
    RunSettings settings;
    ProviderParts parts;
  };
  [[nodiscard]] Prepared prepare(const GridPoint<ProviderStudySettings>& at, const Replay& replay,
                                 std::span<const std::any> shared, RunOutcome& outcome) const;
  /// The parts of a run with these policies and hosts.
  [[nodiscard]] ProviderParts parts_of(const GridPoint<ProviderStudySettings>& at,
                                       const Workload& workload, std::span<const std::any> shared,
                                       RunSettings& settings, RunOutcome& outcome) const;
  /// Adds the results of a finished run to `outcome`.
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

/// The unit of the first workload's vcpus.
[[nodiscard]] VcpusUnit unit_of(const ProviderStudySettings& settings);

/// A scenario is one run. Errors: ConfigError that names an axis with several values.
void require_one_run(const ConfigNode& root, const std::vector<GridAxis>& axes);

/// The experiment described by a file. `seen` is called for every run, for data without a column.
[[nodiscard]] Experiment load_provider_experiment(
    const ProviderStudy& study, ProviderStudySettings settings,
    const std::function<void(const RunOutcome&)>& seen = {});

/// The registry entry. The preset must live as long as the program.
[[nodiscard]] Study provider_study(const ProviderPreset& preset);

/// The figures of a database's runs: those of the preset and of the parts in its schema.
[[nodiscard]] StudyFigures figures_of(const ProviderPreset& preset, const Schema& schema);
[[nodiscard]] StudyMoney money_of(const ProviderPreset& preset, const Schema& schema);

/// Presets in the registry besides `compare` and `sla`, one per part that has its own.
[[nodiscard]] const ProviderPreset& life_preset();
[[nodiscard]] const ProviderPreset& levels_preset();
[[nodiscard]] const ProviderPreset& schedulers_preset();
[[nodiscard]] const ProviderPreset& degradation_preset();
[[nodiscard]] const ProviderPreset& notice_preset();
[[nodiscard]] const ProviderPreset& signals_preset();

}  // namespace cospot
