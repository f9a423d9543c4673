#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/experiments/grid/study_file.hpp"
#include "sim_harness/experiments/money/study_money.hpp"
#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"

namespace cospot {

struct ProviderPreset;

/// Loads what the runs need, which may take long, and gives the experiment. Errors: InputError.
using LoadExperiment = std::function<Experiment()>;

/// A named family of runs: one row of the registry. Everything else (`cospot compare`, `--set`,
/// threads, progress, resume, shards, merge, database, CSV, summary, report, Python) is the
/// harness's and works for every study alike.
struct Study {
  std::string_view name;     ///< as `study:` in the file has it
  std::string_view summary;  ///< one line for `cospot list studies`
  std::function<Schema()> schema;
  /// Reads the file and checks all of it, but loads nothing. Errors: ConfigError.
  std::function<LoadExperiment(const StudyFile& file)> read;
  /// What `cospot summary` says of it (study_summary.hpp); without it the mean of every measure.
  std::function<StudyFigures(const Schema& of)> figures{};
  /// The same where means of figures do not say it all.
  std::function<StudySummary(ResultsDatabase& results, Timing timing)> summarise{};
  /// The axes whose values together are a sample, where that is not the workload or the seed.
  std::vector<std::string_view> samples{};
  /// What of its revenue prices are put on (`--price`); without it they are refused.
  std::function<StudyMoney(const Schema& of)> money{};
  /// Of a study of the provider's datacenter: what its files ask for by themselves.
  const ProviderPreset* provider = nullptr;
};

/// The studies that a program knows.
class StudyRegistry {
 public:
  explicit StudyRegistry(std::vector<Study> studies) : studies_(std::move(studies)) {}

  [[nodiscard]] std::span<const Study> all() const { return studies_; }

  /// Null: there is none of that name, as in a database of a later cospot.
  [[nodiscard]] const Study* find(std::string_view name) const;

  /// The study that a file chooses. Errors: ConfigError that names the valid ones.
  [[nodiscard]] const Study& chosen_by(const ConfigNode& root) const;

  /// Of the studies whose runs are of a provider's datacenter.
  [[nodiscard]] std::vector<std::string_view> provider_names() const;

 private:
  std::vector<Study> studies_;
};

/// Those of cospot: studies/registry.cpp.
[[nodiscard]] const StudyRegistry& built_in_studies();

/// What a study file and `--set` make together. Overriding `hosts` drops `headroom_percent`, and
/// the reverse, because they exclude each other. Errors: ConfigError.
[[nodiscard]] ConfigNode with_overrides(ConfigNode root, const std::vector<std::string>& overrides);

/// A study file of that path; policies beside it are found. `policies` outlives it.
/// Errors: ConfigError, InputError when it cannot be read.
[[nodiscard]] StudyFile read_study_file(const std::filesystem::path& path,
                                        const std::vector<std::string>& overrides,
                                        std::optional<SimTime> window, PolicyLoader& policies);

/// Reads a study file by the study that it chooses. Errors: ConfigError, also where runs of that
/// study have no timeline to keep.
[[nodiscard]] LoadExperiment read_experiment(const StudyRegistry& studies, const StudyFile& file);

/// The study file itself and every file that it names: what no output may replace.
[[nodiscard]] std::vector<std::filesystem::path> files_of_study(const std::filesystem::path& path,
                                                                const StudyFile& file);

/// The study of that name. Errors: ConfigError where it takes no prices, which names the studies
/// that do, and starts with `where`.
[[nodiscard]] const Study& require_priced(const StudyRegistry& studies, std::string_view study,
                                          const std::string& where);
/// What money is put on in a database.
[[nodiscard]] StudyMoney require_money(const StudyRegistry& studies, ResultsDatabase& results);

/// What `cospot summary` prints, by the study or in general, and with prices money.
[[nodiscard]] SummaryText summary_text(const StudyRegistry& studies, ResultsDatabase& results,
                                       Timing timing,
                                       const std::optional<WorkloadPrices>& prices = {});
/// The same as JSON, with the mean and the extremes of every measure.
[[nodiscard]] std::string summary_json(const StudyRegistry& studies, ResultsDatabase& results,
                                       Timing timing,
                                       const std::optional<WorkloadPrices>& prices = {});

}  // namespace cospot
