#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/advise/tune.hpp"
#include "sim_harness/advise/tune_text.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"

namespace cospot {

inline constexpr double kDefaultTuneHeadroomPercent = 2;
inline constexpr std::size_t kDefaultTuneParts = 7;
inline constexpr std::size_t kMostTuneParts = 1000;

/// Policies and offers to choose from, by name.
struct TuneCandidates {
  TuneCandidates();  ///< the default candidates

  std::vector<std::string> vm;
  std::vector<std::string> spot;
  std::vector<std::string> evictor;
  std::vector<std::string> otn;
  std::vector<std::string> promises{};  ///< targets with which spot policies are tried too
  /// Files of lifetime models, at most one of each kind. Other evictors use the built-in model.
  std::vector<std::string> models{};
  std::string dashes = "--";  ///< before the names of these in errors
};

/// Adds candidates to settings. Errors: ConfigError for an unknown or duplicate candidate.
void add_candidates(const TuneCandidates& candidates, PolicyLoader& loader, TuneSettings& settings);

/// Errors: ConfigError for duplicates; `option` is the name to report.
void require_distinct(const std::vector<std::string>& values, std::string_view option);

/// The datacenter to tune: `hosts` hosts, a headroom, or all that `host` declares. Errors:
/// ConfigError.
[[nodiscard]] TunedDatacenter tuned_datacenter(HostMix host, std::optional<std::size_t> hosts,
                                               std::optional<double> headroom_percent,
                                               const std::string& dashes);

/// The input of a tuning, and how it is judged.
struct TuneRequest {
  std::vector<WorkloadSpec> workloads;
  TunedDatacenter datacenter;
  TuneSettings settings;
  std::size_t parts = kDefaultTuneParts;  ///< of a single workload
  std::optional<std::size_t> folds{};
  /// By workload, the price of a VM's vCPU-hour relative to a spot's; empty: 1.
  std::vector<double> vm_worth{};
};

/// One search over all samples, those of the cross-validation, and the verdict.
class Tuning {
 public:
  /// Runs the tuning. Calls `warn` once, before the first run.
  ///
  /// Errors: ConfigError, WorkloadError, PolicyError.
  Tuning(TuneRequest request, ProgressSink& progress,
         const std::function<void(const std::vector<std::string>&)>& warn);
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;
  Tuning(Tuning&&) = delete;
  Tuning& operator=(Tuning&&) = delete;
  ~Tuning() = default;

  [[nodiscard]] TuneFindings findings() const;
  [[nodiscard]] const TuneRequest& request() const { return request_; }
  [[nodiscard]] const TuneRuns& runs() const { return runs_; }

 private:
  struct Searches {
    TuneOutcome outcome{};
    std::vector<TuneOutcome> folds{};
  };

  [[nodiscard]] TuneSamples load(
      const std::function<void(const std::vector<std::string>&)>& warn) const;
  /// 1: half of the samples judge instead. Each part of a single workload is a fold.
  [[nodiscard]] std::size_t number_of_folds() const;
  [[nodiscard]] Searches search(TuneRuns& runs) const;
  /// Tests if cooperation pays with more hosts; stops at the first number with which it does.
  [[nodiscard]] std::vector<MoreHosts> try_more_hosts(ProgressSink& progress) const;

  TuneRequest request_;
  TuneSamples made_;
  TuneRuns runs_;
  Searches found_;
  TuneVerdict verdict_;
  std::vector<MoreHosts> tried_;
};

}  // namespace cospot
