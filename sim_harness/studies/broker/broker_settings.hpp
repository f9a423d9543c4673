#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim_harness/broker/broker_simulation.hpp"
#include "sim_harness/configuration/yaml_reader.hpp"
#include "sim_harness/experiments/experiment.hpp"
#include "sim_harness/studies/broker/drawn_jobs.hpp"
#include "sim_harness/studies/broker/market_spec.hpp"

namespace cospot {

/// A value of the axis `jobs`.
struct JobsSpec {
  std::string label;
  std::filesystem::path file;  ///< empty: synthetic
  std::int64_t synthetic_seed = 1;
  std::int64_t count = 100'000;
  double days = 7;
};

/// A file of the study `broker`, read.
struct BrokerStudySettings {
  std::vector<MarketSpec> markets;
  std::vector<JobsSpec> jobs;
  std::vector<std::string> bid, fault_tolerance, billing, market_choice;
  std::vector<double> alpha;
  std::vector<std::int64_t> seeds;
  JobModel model;
  std::int64_t interval_seconds = 60, boot_seconds = 300, notice_seconds = 0;
  bool postpones = false, on_demand_fallback = false;

  [[nodiscard]] std::string json() const;
};

/// Errors: ConfigError.
[[nodiscard]] BrokerStudySettings read_broker_settings(const ConfigNode& root,
                                                       const std::filesystem::path& folder);

/// Markets and logs, loaded once.
struct BrokerInputs {
  std::vector<MarketSet> markets;
  std::vector<std::vector<Job>> jobs;
  std::vector<InputRecord> records;
  std::shared_ptr<DrawnJobs> drawn = std::make_shared<DrawnJobs>();
};

/// Errors: WorkloadError, ConfigError.
[[nodiscard]] BrokerInputs load_broker_inputs(const BrokerStudySettings& settings);

/// When the first job comes, in the price history: a whole minute drawn so that a week of prices is
/// before it and, where the history is long enough, a week after the last job's submission.
[[nodiscard]] Seconds draw_start(const MarketSet& markets, double days, std::int64_t seed);

/// How one run of the grid works, but for the bid and the other choices.
[[nodiscard]] BrokerSettings base_settings(const BrokerStudySettings& settings);

[[nodiscard]] const BidStrategy& find_bid(const std::string& name);
[[nodiscard]] const FaultTolerance& find_fault_tolerance(const std::string& name);
[[nodiscard]] const MarketChoice& find_market_choice(const std::string& name);

}  // namespace cospot
