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

/// What a run of a provider's datacenter came to, with all the parts that it may have.
struct RunOutcome {
  LifeResult life{};
  std::vector<LevelOutcome> levels{};  ///< the highest first: VMs, ..., spots
  SchedulerResult schedulers{};
  ForecastRefreshes refreshes{};
  SimTime window{0};
  // Of the requests, where the study asks.
  std::string workload_sha256{};
  std::uint64_t workload_seed = 0;
  double vm_vcpus_mean = 0;
  double spot_vcpus_mean = 0;
  // Of an Economy class.
  std::optional<double> promised_percent{}, promised_memory_percent{};
  double income = 0;
  NoticeResult notices{};  ///< of a reserve
  // Of signals: all of the run's, and which of them the row is about.
  std::shared_ptr<SignalWatch> signals{};
  std::optional<SignalScore> signal{};

  [[nodiscard]] const RunResult& run() const { return life.run; }
  [[nodiscard]] const LevelOutcome& vms() const { return levels.front(); }
  [[nodiscard]] const LevelOutcome& spots() const { return levels.back(); }
};

/// Every study's first measure.
[[nodiscard]] Measure<RunOutcome> hosts_measure();

// Of promised lifetimes: how their spots fared, and what the forecasts cost.
[[nodiscard]] std::vector<Measure<RunOutcome>> promised_spot_measures();
[[nodiscard]] std::vector<Measure<RunOutcome>> refresh_measures();

/// A column of the view `run_figures`, with the SQL that makes it of `run` and what is joined. One
/// that is a detail is for other views alone.
struct DerivedMeasure {
  Column column;
  std::string sql;
};

/// A run that a part adds its own to.
struct PartRun {
  const GridPoint<ProviderStudySettings>& at;
  const Workload& workload;
  const std::any& shared;  ///< what StudyPart::share made of the workload
  /// Policies and hosts. A part that changes the hosts stands first in study_parts().
  RunSettings& settings;
  ProviderParts& parts;  ///< of the simulation
  RunOutcome& outcome;
};

/// A part of the provider's simulation that any file may ask for by its keys: declared once. The
/// columns, figures and money are added to those of the study that does not have them by itself.
struct StudyPart {
  std::vector<SettingRow<ProviderStudySettings>> rows;  ///< the first key is its name
  bool draws = false;                                   ///< by the axis `seed`
  WorkloadClasses classes = WorkloadClasses::kVmsAndSpots;
  std::vector<Measure<RunOutcome>> measures{};
  std::vector<DerivedMeasure> derived{};
  /// SQL of the views that `joins` names; of all axes of the study.
  std::string (*views)(std::span<const Column> axes) = nullptr;
  std::string joins{};
  std::vector<Figure> figures{};
  std::vector<MoneyColumn> money{};
  std::string money_joins{};
  /// What all runs on a workload share, made before the first of them. Errors: ConfigError,
  /// InputError for what no run could do.
  std::any (*share)(const ProviderStudySettings& settings, const Workload& workload) = nullptr;
  void (*add)(const PartRun& run) = nullptr;
  void (*finish)(const PartRun& run) = nullptr;  ///< the run is over; of `outcome`
  /// Where the axis changes no run, but says what of it is looked at: takes that of a run's
  /// outcome. Runs that differ in it alone are simulated once.
  void (*read)(const GridPoint<ProviderStudySettings>& at, RunOutcome& outcome) = nullptr;

  [[nodiscard]] std::string_view name() const { return rows.front().keys().front(); }
  [[nodiscard]] bool is_asked_for_by(const ConfigNode& root) const;
};

/// All of them, in the order in which their axes stand. A new one is a file beside this one and its
/// row here (CONTRIBUTING.md).
[[nodiscard]] const std::vector<StudyPart>& study_parts();

}  // namespace cospot
