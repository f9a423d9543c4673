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

/// Loads what the runs need, which may take long, and returns the experiment. Errors: InputError.
using LoadExperiment = std::function<Experiment()>;

/// A named family of runs: one entry of the registry. Everything else (`cospot compare`, `--set`,
/// threads, progress, resume, shards, merge, database, CSV, summary, report, Python) is part of the
/// harness and works for every study alike.
struct Study {
  std::string_view name;     ///< value of `study:` in the file
  std::string_view summary;  ///< one line for `cospot list studies`
  std::string_view page{};   ///< of the documentation, from the root of the tree
  std::function<Schema()> schema;
  /// Reads and checks the whole file, but loads no inputs. Errors: ConfigError.
  std::function<LoadExperiment(const StudyFile& file)> read;
  /// The figures of `cospot summary` (study_summary.hpp); by default the mean of every measure.
  std::function<StudyFigures(const Schema& of)> figures{};
  /// Replaces `figures` if means of figures are not sufficient.
  std::function<StudySummary(ResultsDatabase& results, Timing timing)> summarise{};
  /// The axes whose values identify a sample, if other than the workload or the seed.
  std::vector<std::string_view> samples{};
  /// The money columns (`--price`); without them prices are rejected.
  std::function<StudyMoney(const Schema& of)> money{};
  /// For a study of the provider's datacenter: its preset.
  const ProviderPreset* provider = nullptr;
};

/// The studies that a program offers.
class StudyRegistry {
 public:
  explicit StudyRegistry(std::vector<Study> studies) : studies_(std::move(studies)) {}

  [[nodiscard]] std::span<const Study> all() const { return studies_; }

  /// Null if there is no such study, as in a database of a later cospot.
  [[nodiscard]] const Study* find(std::string_view name) const;

  /// The study that a file chooses. Errors: ConfigError that lists the valid names.
  [[nodiscard]] const Study& chosen_by(const ConfigNode& root) const;

  /// Names of the studies that simulate a provider's datacenter.
  [[nodiscard]] std::vector<std::string_view> provider_names() const;

  /// The preset of a file whose runs are of a provider's datacenter. Errors: ConfigError that lists
  /// these studies.
  [[nodiscard]] const ProviderPreset& preset_of(const ConfigNode& root) const;

 private:
  std::vector<Study> studies_;
};

/// The built-in studies: studies/registry.cpp.
[[nodiscard]] const StudyRegistry& built_in_studies();

/// Applies `--set` to a study file. Overriding `hosts` drops `headroom_percent`, and vice versa,
/// because they exclude each other. Errors: ConfigError.
[[nodiscard]] ConfigNode with_overrides(ConfigNode root, const std::vector<std::string>& overrides);

/// Reads the study file at a path; also finds policies in its folder. `policies` outlives it.
/// Errors: ConfigError; InputError if it cannot be read.
[[nodiscard]] StudyFile read_study_file(const std::filesystem::path& path,
                                        const std::vector<std::string>& overrides,
                                        std::optional<SimTime> window, PolicyLoader& policies);

/// Reads a study file as the study that it chooses. Errors: ConfigError, also if a timeline is
/// requested from a study that has none.
[[nodiscard]] LoadExperiment read_experiment(const StudyRegistry& studies, const StudyFile& file);

/// The study file and every file that it names; outputs must not overwrite them.
[[nodiscard]] std::vector<std::filesystem::path> files_of_study(const std::filesystem::path& path,
                                                                const StudyFile& file);

/// Opens existing results, to read the figures of their study. Errors: DatabaseError, also if an
/// older cospot wrote them without columns that the study has now.
[[nodiscard]] ResultsDatabase open_results(const StudyRegistry& studies,
                                           const std::filesystem::path& file);

/// The study of that name. Errors: ConfigError, starting with `where`, if it takes no prices; it
/// lists the studies that do.
[[nodiscard]] const Study& require_priced(const StudyRegistry& studies, std::string_view study,
                                          const std::string& where);
/// The money columns of a database.
[[nodiscard]] StudyMoney require_money(const StudyRegistry& studies, ResultsDatabase& results);

/// The output of `cospot summary`: the study's own or the general one, and money if there are
/// prices.
[[nodiscard]] SummaryText summary_text(const StudyRegistry& studies, ResultsDatabase& results,
                                       Timing timing,
                                       const std::optional<WorkloadPrices>& prices = {});
/// The same as JSON, with the mean and the extremes of every measure.
[[nodiscard]] std::string summary_json(const StudyRegistry& studies, ResultsDatabase& results,
                                       Timing timing,
                                       const std::optional<WorkloadPrices>& prices = {});

}  // namespace cospot
