#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// The recommendation, its revenue and loss on the held-out samples with confidence, the Pareto
/// front and the money if there are prices, as text and tables.
[[nodiscard]] std::string tune_text(const TuneFindings& findings);

/// The first lines of the output: the recommendation and the evidence for it. `tried`: searches
/// with more hosts; the last may be the first one that pays.
[[nodiscard]] std::string verdict_text(const TuneVerdict& verdict, double max_vm_loss,
                                       std::span<const MoreHosts> tried);

/// The revenue and loss of the recommendations on samples that did not choose them, and the same
/// for comparison: the best setting without cooperation, the same policies without it, the upper
/// bound, and the best that Nova can express. With folds, a table of these comes first.
[[nodiscard]] std::string validation_text(const TuneFindings& findings);

/// A candidate and its results on the training and held-out samples of `search`.
[[nodiscard]] Json setting_json(const TuneFindings& findings, std::size_t candidate,
                                const TuneOutcome& search);

/// The content of tune_text as JSON; docs/json.md describes its keys.
[[nodiscard]] Json tune_json(const TuneFindings& findings);

/// The inputs that a study file names besides settings, as given on the command line.
struct TunedInputs {
  std::span<const WorkloadSpec> workloads;
  const TunedDatacenter& datacenter;
  std::string host{};    ///< a file of hosts, or totals
  std::string prices{};  ///< an option of `cospot compare`, or empty
};

/// A study file for `cospot compare` around the result of a tuning: its policies and those of the
/// best setting without cooperation, SAF on and off, its offer and the next smaller and larger
/// offers tried, on the same hosts. A single workload is not split.
///
/// Args: folder: the file's folder; paths are relative to it.
[[nodiscard]] std::string around_yaml(const TuneFindings& findings, const TunedInputs& inputs,
                                      const std::filesystem::path& folder);

/// A tuning as an unfinished sweep: samples x their host counts x candidates. It contains the
/// completed runs, so that all tools that read results can read them.
struct TuneRecord {
  ProviderSettings sweep;
  std::vector<InputRecord> workloads;
  std::vector<Row> rows;  ///< in grid order, without times
};

/// The database tables that describe it.
[[nodiscard]] ExperimentTables tune_tables(const TuneRecord& record);

[[nodiscard]] TuneRecord tune_record(const TuneSettings& settings,
                                     std::span<const TuneSample> samples, const TuneRuns& runs,
                                     const HostMix& host);

}  // namespace cospot
