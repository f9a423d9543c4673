#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/customer/broker/broker_simulation.hpp"
#include "sim_harness/data/jobs/mapped_jobs.hpp"
#include "sim_harness/data/markets/market.hpp"
#include "sim_harness/data/markets/synthetic_market.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

/// A price file, availability trace or event log, and the market that it describes.
struct MarketFile {
  enum class Kind : std::uint8_t { kPrices, kAvailability, kEvents };
  Kind kind = Kind::kPrices;
  std::filesystem::path file;
  std::string label;  ///< the path as written
  std::string type;   ///< empty: every type named in the (EC2) file
  std::string os = "Linux/UNIX";
  std::string datacenter;    ///< empty: every datacenter named in the (EC2) file
  MicroUsd price = 0;        ///< while there is capacity, for the last two kinds; 0: the file's
  double gap_seconds = 300;  ///< tick of an event log
};

/// A value of the axis `market`: a set of markets to choose from.
struct MarketSpec {
  std::string label{};
  std::vector<MarketFile> files{};  ///< none: synthetic
  SyntheticMarket synthetic{};
  std::vector<InstanceType> types{};  ///< known properties of types, by name

  /// True if prices end instances in some of its markets; otherwise only capacity does.
  [[nodiscard]] bool has_prices() const {
    return files.empty() || std::ranges::any_of(files, [](const MarketFile& file) {
             return file.kind == MarketFile::Kind::kPrices;
           });
  }
};

/// A list of `{type, os, datacenter, prices: FILE}` is one set of markets; so is `{synthetic:
/// us_east_2011, seed: N}` or `{label, markets: [...]}`, each with `types` of its own; a list of
/// these is several. `types` is the study file's key of that name, or null. Errors: ConfigError.
[[nodiscard]] std::vector<MarketSpec> read_market_specs(const ConfigNode& node,
                                                        const ConfigNode* types,
                                                        const std::filesystem::path& folder);

/// With all defaults written out.
[[nodiscard]] Json setting_json(const MarketSpec& spec);
[[nodiscard]] AxisValue axis_value(const MarketSpec& spec);

/// Loads the markets and adds a record for each file. Errors: WorkloadError; ConfigError for a file
/// whose type is not described.
[[nodiscard]] MarketSet load_markets(const MarketSpec& spec, std::vector<InputRecord>& inputs);

/// A value of the axis `jobs`.
struct JobsSpec {
  std::string label;
  std::filesystem::path file;  ///< empty: synthetic
  std::string written{};       ///< the file as the study has it
  bool is_swf = false;
  std::int64_t synthetic_seed = 1;
  // Default: all jobs of a file; for synthetic jobs, 100,000 over 7 days.
  std::optional<std::int64_t> count;
  std::optional<double> days;
  /// True if the requested time of an SWF log is the user's estimate of the run time.
  bool uses_requested_time = true;
  JobColumns columns{};  ///< of a CSV
};

/// The key of BrokerStudySettings::max_late_percent in files and in stored configurations.
inline constexpr std::string_view kMaxLateKey = "max_late_percent";

/// The settings of a file of the study `broker`.
struct BrokerStudySettings {
  std::vector<MarketSpec> markets{};
  std::vector<JobsSpec> jobs{};
  std::vector<std::string> bid{}, fault_tolerance{}, billing{"hourly"}, market_choice{};
  std::vector<double> alpha{};
  std::vector<std::int64_t> seeds{};
  JobModel model{};
  std::int64_t interval_seconds = 60, boot_seconds = 300, notice_seconds = 0;
  bool postpones = false;
  std::vector<bool> on_demand_fallback{false};
  /// The limit of setting_ranking.hpp, %.
  double max_late_percent = 1;
  /// The bids to try where only capacity ends instances, if the file names none; otherwise all
  /// bids.
  std::vector<std::string> bid_without_prices{};
};

[[nodiscard]] AxisValue axis_value(const JobsSpec& jobs);
[[nodiscard]] Json setting_json(const JobsSpec& jobs);

extern const Axis<BrokerStudySettings, MarketSpec> kMarketAxis;
extern const Axis<BrokerStudySettings, JobsSpec> kJobsAxis;
extern const Axis<BrokerStudySettings, std::string> kBidAxis;
extern const Axis<BrokerStudySettings, double> kAlphaAxis;
extern const Axis<BrokerStudySettings, std::string> kFaultToleranceAxis;
extern const Axis<BrokerStudySettings, std::string> kBillingAxis;
extern const Axis<BrokerStudySettings, std::string> kMarketChoiceAxis;
extern const Axis<BrokerStudySettings, bool> kFallbackAxis;
extern const Axis<BrokerStudySettings, std::int64_t> kBrokerSeedAxis;

[[nodiscard]] const SettingTable<BrokerStudySettings>& broker_table();

// Defaults for keys that a file leaves out.

/// For the study: the paper's factorial design, one seed.
[[nodiscard]] const BrokerStudySettings& paper_defaults();

/// For a recommendation: adds options known to beat the paper's, and 20 seeds.
[[nodiscard]] const BrokerStudySettings& recommendation_defaults();

/// Errors: ConfigError.
[[nodiscard]] BrokerStudySettings read_broker_settings(
    const ConfigNode& root, const std::filesystem::path& folder,
    const BrokerStudySettings& defaults = paper_defaults());

/// The jobs of a value of the axis `jobs`.
struct LoadedJobs {
  JobLog log;
  std::size_t count = 0;  ///< upper bound on their number
  double days = 0;        ///< maximum submission time after the first
  double pace_days = 0;   ///< the time in which so many jobs come, at the log's pace
};

/// The jobs of each seed, generated once for all cells of a grid. Thread-safe.
class DrawnJobs {
 public:
  using Shared = std::shared_ptr<const std::vector<BrokerJob>>;

  /// The jobs of a value of the axis `jobs` and a seed; `draw` generates them on first use.
  [[nodiscard]] Shared of(std::size_t jobs_value, std::int64_t seed,
                          const std::function<std::vector<BrokerJob>()>& draw);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::int64_t>, Shared> kept_;
  std::size_t kept_jobs_ = 0;
};

/// The times in a price history at which the first job may start. Length 0: one time only.
struct StartRange {
  Seconds first = 0, length = 0;
};

/// Markets and logs, loaded once.
struct BrokerInputs {
  std::vector<MarketSet> markets;
  std::vector<LoadedJobs> jobs;
  std::vector<InputRecord> records;
  std::optional<StartRange> starts{};  ///< none: starts_in() the markets
  std::shared_ptr<DrawnJobs> drawn = std::make_shared<DrawnJobs>();
};

/// Errors: WorkloadError, ConfigError.
[[nodiscard]] BrokerInputs load_broker_inputs(const BrokerStudySettings& settings);

/// From a week after the start of the price history to the time that puts the last submission a
/// week before its end.
[[nodiscard]] StartRange starts_in(const MarketSet& markets, double days);

/// A random whole minute of the range.
[[nodiscard]] Seconds draw_start(const StartRange& range, std::int64_t seed);

[[nodiscard]] Seconds seconds_of_days(double days);

[[nodiscard]] const BidStrategy& find_bid(const std::string& name);
[[nodiscard]] const FaultTolerance& find_fault_tolerance(const std::string& name);
[[nodiscard]] const MarketChoice& find_market_choice(const std::string& name);

}  // namespace cospot
