#pragma once

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/experiments/money/study_money.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/notices/notice_result.hpp"
#include "sim_harness/provider/signals/signal_score.hpp"
#include "sim_harness/studies/provider/study_settings.hpp"

namespace cospot {

class SignalWatch;

/// The results of a run of a provider's datacenter, including all optional parts.
struct RunOutcome {
  LifeResult life{};
  std::vector<LevelOutcome> levels{};  ///< the highest first: VMs, ..., spots
  SchedulerResult schedulers{};
  ForecastRefreshes refreshes{};
  SimTime window{0};
  // About the requests, if the study asks.
  std::string workload_sha256{};
  std::uint64_t workload_seed = 0;
  double vm_vcpus_mean = 0;
  double spot_vcpus_mean = 0;
  // About an Economy class.
  std::optional<double> promised_percent{}, promised_memory_percent{};
  double income = 0;
  NoticeResult notices{};  ///< about a reserve
  // About signals: all of the run's, and the one that the row is about.
  std::shared_ptr<SignalWatch> signals{};
  std::optional<SignalScore> signal{};

  [[nodiscard]] const RunResult& run() const { return life.run; }
  [[nodiscard]] const LevelOutcome& vms() const { return levels.front(); }
  [[nodiscard]] const LevelOutcome& spots() const { return levels.back(); }
};

/// The first measure of every study.
[[nodiscard]] Measure<RunOutcome> hosts_measure();

// About promised lifetimes: the outcome of their spots, and the cost of the forecasts.
[[nodiscard]] std::vector<Measure<RunOutcome>> promised_spot_measures();
[[nodiscard]] std::vector<Measure<RunOutcome>> refresh_measures();

/// A column of the view `run_figures`, with the SQL that computes it from `run` and the joined
/// views. A detail column is used only by other views.
struct DerivedMeasure {
  Column column;
  std::string sql;
};

/// A run to which a part contributes.
struct PartRun {
  const GridPoint<ProviderStudySettings>& at;
  const Workload& workload;
  const std::any& shared;  ///< the result of StudyPart::share for the workload
  /// Policies and hosts. A part that changes the hosts comes first in study_parts().
  RunSettings& settings;
  ProviderParts& parts;  ///< of the simulation
  RunOutcome& outcome;
};

/// A part of the provider's simulation that any file can request by its keys, declared in one
/// place. Its columns, figures and money are added to those of studies that lack them.
struct StudyPart {
  std::vector<SettingRow<ProviderStudySettings>> rows;  ///< the first key is its name
  bool draws = false;                                   ///< uses the axis `seed`
  WorkloadClasses classes = WorkloadClasses::kVmsAndSpots;
  std::vector<Measure<RunOutcome>> measures{};
  std::vector<DerivedMeasure> derived{};
  /// SQL of the views named by `joins`, over all axes of the study.
  std::string (*views)(std::span<const Column> axes) = nullptr;
  std::string joins{};
  std::vector<Figure> figures{};
  std::vector<MoneyColumn> money{};
  std::string money_joins{};
  /// Creates what all runs on a workload share, before the first of them. Errors: ConfigError,
  /// InputError for input that no run could use.
  std::any (*share)(const ProviderStudySettings& settings, const Workload& workload) = nullptr;
  void (*add)(const PartRun& run) = nullptr;
  void (*finish)(const PartRun& run) = nullptr;  ///< called after the run; updates `outcome`
  /// For an axis that does not change a run but selects what is read from it: reads that from the
  /// run's outcome. Runs that differ only in this axis are simulated once.
  void (*read)(const GridPoint<ProviderStudySettings>& at, RunOutcome& outcome) = nullptr;

  [[nodiscard]] std::string_view name() const { return rows.front().keys().front(); }
  [[nodiscard]] bool is_asked_for_by(const ConfigNode& root) const;
};

/// All parts, in the order of their axes. To add one, add a file in this folder and its entry here
/// (docs/extending.md).
[[nodiscard]] const std::vector<StudyPart>& study_parts();

}  // namespace cospot
