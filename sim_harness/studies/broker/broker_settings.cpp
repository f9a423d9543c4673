#include "sim_harness/studies/broker/broker_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/imports/import_plan.hpp"
#include "sim_harness/data/jobs/job_log.hpp"
#include "sim_harness/data/markets/price_files.hpp"
#include "sim_harness/studies/broker/job_checks.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxJobs = 10'000'000;
constexpr std::int64_t kSyntheticJobs = 100'000;
constexpr double kSyntheticDays = 7;

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

/// Reads the description of the columns of a table of jobs.
JobColumns read_job_columns(const ConfigNode& node) {
  JobColumns columns;
  if (const ConfigNode* map = node.find("map")) {
    const std::vector<std::string> names = mapped_job_columns();
    const std::vector<std::string_view> keys(names.begin(), names.end());
    require_known_keys(*map, "jobs.map", keys);
    for (const ConfigEntry& entry : map->entries) {
      columns.map.emplace_back(entry.key, read_text(entry.value, "jobs.map." + entry.key));
    }
  }
  if (const ConfigNode* only = node.find("only")) columns.only = read_text(*only, "jobs.only");
  if (const ConfigNode* separator = node.find("separator")) {
    columns.separator = parse_separator(read_text(*separator, "jobs.separator"),
                                        key_place(*separator, "jobs.separator"));
  }
  if (const ConfigNode* zone = node.find("time_zone")) {
    columns.zone =
        TimeZone::named(read_text(*zone, "jobs.time_zone"), key_place(*zone, "jobs.time_zone"));
  }
  return columns;
}

const Fields<JobsSpec> kJobFields{
    {.key = "seed",
     .read = [](const auto& value, auto name,
                JobsSpec& spec) { spec.synthetic_seed = read_integer(value, name, 0, kMaxSeed); },
     .write = [](const JobsSpec& spec) -> std::optional<Json> {
       if (!spec.file.empty()) return std::nullopt;
       return spec.synthetic_seed;
     }},
    number_field("count", &JobsSpec::count, 1, kMaxJobs),
    number_field("days", &JobsSpec::days, 1e-3, 3650),
    {.key = "requested_time",
     .read = [](const auto& value, auto name,
                JobsSpec& spec) { spec.uses_requested_time = read_bool(value, name); },
     .write = [](const JobsSpec& spec) -> std::optional<Json> {
       if (spec.uses_requested_time) return std::nullopt;
       return false;
     }}};

JobsSpec read_jobs(const ConfigNode& node, const std::filesystem::path& folder) {
  require_known_keys(node, "jobs",
                     kJobFields.keys({"label", "swf", "csv", "synthetic"},
                                     {"map", "only", "separator", "time_zone"}));
  JobsSpec spec;
  kJobFields.read(node, "jobs", spec, "jobs.");
  spec.columns = read_job_columns(node);
  const ConfigNode* swf = node.find("swf");
  const ConfigNode* csv = node.find("csv");
  const ConfigNode* synthetic = node.find("synthetic");
  if ((swf != nullptr ? 1 : 0) + (csv != nullptr ? 1 : 0) + (synthetic != nullptr ? 1 : 0) != 1) {
    throw_bad_value(node, "jobs", "one of the keys swf, csv, synthetic");
  }
  if (csv == nullptr && !(spec.columns.is_plain() && spec.columns.zone.is_utc())) {
    throw_bad_value(node, "jobs", "map, only, separator and time_zone with csv only");
  }
  if (synthetic == nullptr) {
    const char* key = swf != nullptr ? "jobs.swf" : "jobs.csv";
    const ConfigNode& file = swf != nullptr ? *swf : *csv;
    const ExpandedPath found = read_path(file, key, folder);
    spec.file = found.file;
    spec.label = found.label;
    spec.written = file.text;
    spec.is_swf = swf != nullptr;
  } else {
    if (read_text(*synthetic, "jobs.synthetic") != "grid") {
      throw_bad_value(*synthetic, "jobs.synthetic", "grid");
    }
    spec.count = spec.count.value_or(kSyntheticJobs);
    spec.days = spec.days.value_or(kSyntheticDays);
    spec.label = fmt::format("grid-{}-{}", spec.synthetic_seed, *spec.count);
  }
  if (const ConfigNode* label = node.find("label")) spec.label = read_label(*label, "label");
  return spec;
}

const Fields<JobModel> kModelFields{
    number_field("max_parallelism", &JobModel::max_parallelism, 1, 1e6),
    number_field("max_sigma", &JobModel::max_sigma, 0, 1e6),
    // Below 1 not even the job alone on its own processor would be done in time.
    number_field("min_slack", &JobModel::min_slack, 1, 1e6),
    number_field("max_slack", &JobModel::max_slack, 1, 1e6)};

void read_model(const ConfigNode& root, JobModel& model) {
  const ConfigNode* node = root.find("job_model");
  if (node == nullptr) return;
  require_known_keys(*node, "job_model", kModelFields.keys());
  kModelFields.read(*node, "job_model", model);
  if (model.max_slack < model.min_slack) {
    throw_bad_value(*node, "job_model", "max_slack that is at least min_slack");
  }
}

std::vector<JobsSpec> read_all_jobs(const StudyFile& file) {
  std::vector<JobsSpec> jobs;
  Labels labels;
  for (const ConfigNode* item : read_list(require_key(file.root, "study", "jobs"), "jobs")) {
    JobsSpec one = read_jobs(*item, file.folder);
    labels.add(one.label, *item, "jobs");
    jobs.push_back(std::move(one));
  }
  return jobs;
}

using B = BrokerStudySettings;

/// All of them where the file leaves the key out and some market has prices.
std::vector<std::string> read_bids(const StudyFile& file, const B& before) {
  const std::vector<std::string> bids = names_of(bid_strategies());
  if (const ConfigNode* node = file.root.find("bid")) {
    return read_distinct(*node, "bid",
                         [&](const ConfigNode& item) { return read_name(item, "bid", bids); });
  }
  const bool has_prices = std::ranges::any_of(before.markets, &MarketSpec::has_prices);
  return has_prices ? bids : before.bid_without_prices;
}

/// The defaults apply if the key is left out.
template <class Entries>
std::vector<std::string> read_choices(const StudyFile& file, const char* key,
                                      const Entries& entries,
                                      const std::vector<std::string>& defaults) {
  const ConfigNode* node = file.root.find(key);
  if (node == nullptr) return defaults;
  return read_distinct(
      *node, key, [&](const ConfigNode& item) { return read_name(item, key, names_of(entries)); });
}

const Setting<B> kModel{
    .keys = {"job_model"},
    .read = [](const StudyFile& file, B& settings) { read_model(file.root, settings.model); },
    .write =
        [](const B& settings, Json& configuration) {
          configuration["job_model"] = kModelFields.json(settings.model);
        }};

constexpr std::int64_t kMostSeconds = 86'400;
const Setting<B> kSwitches =
    setting_of<B>(Fields<B>{number_field("interval_seconds", &B::interval_seconds, 1, kMostSeconds),
                            number_field("boot_seconds", &B::boot_seconds, 0, kMostSeconds),
                            number_field("notice_seconds", &B::notice_seconds, 0, kMostSeconds),
                            flag_field("postpone", &B::postpones),
                            number_field(kMaxLateKey, &B::max_late_percent, 0, 100)});

}  // namespace

AxisValue axis_value(const JobsSpec& jobs) {
  return {jobs.label, jobs.label, compact_json(setting_json(jobs))};
}

Json setting_json(const JobsSpec& jobs) {
  Json json{{"label", jobs.label}};
  if (jobs.file.empty()) {
    json["synthetic"] = "grid";
  } else {
    json[jobs.is_swf ? "swf" : "csv"] = jobs.written;
  }
  kJobFields.write(jobs, json);
  for (const auto& [name, expression] : jobs.columns.map) json["map"][name] = expression;
  if (!jobs.columns.only.empty()) json["only"] = jobs.columns.only;
  if (jobs.columns.separator != ',') json["separator"] = std::string(1, jobs.columns.separator);
  if (!jobs.columns.zone.is_utc()) json["time_zone"] = jobs.columns.zone.name();
  return json;
}

const Axis<B, MarketSpec> kMarketAxis{.name = "market",
                                      .meaning = "label of the set of markets",
                                      .values = &B::markets,
                                      .read_all =
                                          [](const StudyFile& file, const B&) {
                                            return read_market_specs(
                                                require_key(file.root, "study", "market"),
                                                file.root.find("types"), file.folder);
                                          },
                                      .keys = {"market", "types"}};

/// The column has another name than the key: `jobs` is a measure, how many there were, and a column
/// of a CSV has one meaning.
const Axis<B, JobsSpec> kJobsAxis{
    .name = "job_log",
    .meaning = "label of the value of `jobs`",
    .values = &B::jobs,
    .read_all = [](const StudyFile& file, const B&) { return read_all_jobs(file); },
    .keys = {"jobs"}};

const Axis<B, std::string> kBidAxis{
    .name = "bid", .meaning = "bidding strategy", .values = &B::bid, .read_all = read_bids};

const Axis<B, double> kAlphaAxis{
    .name = "alpha",
    .meaning = "the urgency's modifier",
    .values = &B::alpha,
    .read = [](const auto& item, auto key) { return read_number(item, key, 0, 1e6); }};

const Axis<B, std::string> kFaultToleranceAxis{
    .name = "fault_tolerance",
    .meaning = "what is done against revocations",
    .values = &B::fault_tolerance,
    .read_all = [](const StudyFile& file, const B& before) {
      return read_choices(file, "fault_tolerance", fault_tolerance_mechanisms(),
                          before.fault_tolerance);
    }};

const Axis<B, std::string> kBillingAxis{
    .name = "billing",
    .meaning = "hourly or per_second",
    .values = &B::billing,
    .read = [](const auto& item, auto key) {
      return read_name(item, key, std::vector<std::string>{"hourly", "per_second"});
    }};

const Axis<B, std::string> kMarketChoiceAxis{
    .name = "market_choice",
    .meaning = "where instances are asked for",
    .values = &B::market_choice,
    .read_all = [](const StudyFile& file, const B& before) {
      return read_choices(file, "market_choice", market_choices(), before.market_choice);
    }};

const Axis<B, bool> kFallbackAxis{
    .name = "on_demand_fallback",
    .unit = "0 or 1",
    .meaning = "a job that could not survive one more failure runs on-demand",
    .values = &B::on_demand_fallback,
    .read = read_bool};

const Axis<B, std::int64_t> kBrokerSeedAxis{
    .name = "seed",
    .meaning = "of the start in the price history and of what is drawn for jobs",
    .values = &B::seeds,
    .read = read_seed};

const SettingTable<B>& broker_table() {
  static const SettingTable<B> table(
      "study", {kMarketAxis, kJobsAxis, kBidAxis, kAlphaAxis, kFaultToleranceAxis, kBillingAxis,
                kMarketChoiceAxis, kFallbackAxis, kBrokerSeedAxis, kModel, kSwitches});
  return table;
}

const BrokerStudySettings& paper_defaults() {
  static const BrokerStudySettings made{
      .fault_tolerance = {"none", "checkpoint", "migration", "duplication"},
      .market_choice = {"preferred"},
      .alpha = {1, 2, 4, 8, 10, 20},
      .seeds = {1},
      .bid_without_prices = names_of(bid_strategies())};
  return made;
}

const BrokerStudySettings& recommendation_defaults() {
  static const BrokerStudySettings made = [] {
    BrokerStudySettings all{.fault_tolerance = names_of(fault_tolerance_mechanisms()),
                            .market_choice = {"preferred", "cheapest", "diversified"},
                            .alpha = {1, 2, 4, 8},
                            .on_demand_fallback = {false, true},
                            .bid_without_prices = {"on_demand"}};
    for (std::int64_t seed = 1; seed <= 20; ++seed) all.seeds.push_back(seed);
    return all;
  }();
  return made;
}

BrokerStudySettings read_broker_settings(const ConfigNode& root,
                                         const std::filesystem::path& folder,
                                         const BrokerStudySettings& defaults) {
  return broker_table().read({.root = root, .folder = folder, .window = {}}, defaults);
}

Seconds seconds_of_days(double days) { return static_cast<Seconds>(days * 86'400); }

namespace {

/// True if a run takes the job: `make_broker_jobs` skips jobs without a run time.
bool has_run_time(const Job& job) {
  return job.duration && *job.duration >= std::chrono::seconds(1);
}

/// The submissions of the jobs that a run takes.
std::vector<SimTime> submissions_of(const std::vector<Job>& log) {
  std::vector<SimTime> submissions;
  for (const Job& job : log) {
    if (has_run_time(job)) submissions.push_back(job.submission);
  }
  std::ranges::sort(submissions);
  return submissions;
}

/// All of a log unless the file says how much of it. Days that the file does not state are those of
/// the jobs that count, not of the whole log.
LoadedJobs loaded_jobs(JobLog log, const JobsSpec& spec) {
  LoadedJobs jobs{.log = std::move(log)};
  jobs.count = static_cast<std::size_t>(spec.count.value_or(kMaxJobs));
  if (spec.days) jobs.days = jobs.pace_days = *spec.days;
  if (spec.file.empty()) return jobs;
  const std::vector<SimTime> all = submissions_of(jobs.log.jobs);
  const auto days_to = [&](std::size_t job) {
    return std::chrono::duration<double>(all[job] - all.front()).count() / 86'400;
  };
  std::size_t counted = std::min(jobs.count, all.size());
  while (spec.days && days_to(counted - 1) >= *spec.days) --counted;
  if (!spec.days) jobs.days = std::floor(days_to(counted - 1)) + 1;
  // The stated days count unless the log goes on where the count cuts it. A job takes up the gap to
  // the next one, the last job too.
  const bool is_cut_by_count = counted == jobs.count && counted < all.size();
  if (spec.days && !is_cut_by_count) return jobs;
  const double span = days_to(counted - 1);
  const auto gaps = static_cast<double>(counted) - 1;
  jobs.pace_days = span > 0 ? span * static_cast<double>(counted) / gaps : 1;
  return jobs;
}

LoadedJobs read_jobs_of(const JobsSpec& spec, std::vector<InputRecord>& records) {
  if (spec.file.empty()) {
    JobLog log{.name = spec.label};
    log.jobs =
        make_synthetic_log(static_cast<std::size_t>(*spec.count), seconds_of_days(*spec.days),
                           static_cast<std::uint64_t>(spec.synthetic_seed));
    return loaded_jobs(std::move(log), spec);
  }
  JobLog log = spec.columns.is_plain() ? read_job_log(spec.file, spec.columns.zone)
                                       : read_mapped_jobs(spec.file, spec.columns);
  if (std::ranges::none_of(log.jobs, has_run_time)) {
    throw ConfigError(fmt::format("jobs {}: no job has a run time", spec.label));
  }
  records.push_back({.label = spec.label, .sha256 = log.sha256, .name = spec.label});
  if (spec.uses_requested_time) {
    for (Job& job : log.jobs) {
      const bool is_stated = job.requested_time && *job.requested_time > SimTime(0);
      if (!job.estimate && is_stated) job.estimate = job.requested_time;
    }
  }
  return loaded_jobs(std::move(log), spec);
}

/// Names the markets that limit the time for which all have prices.
std::string shortest_markets_text(const MarketSet& set) {
  const auto last_begin = std::ranges::find(
      set.markets, set.begin(), [](const Market& market) { return market.prices.begin(); });
  const auto first_end = std::ranges::find(
      set.markets, set.end(), [](const Market& market) { return market.prices.end(); });
  const std::string other =
      first_end == last_begin ? "" : fmt::format(", {} has them", first_end->name);
  return fmt::format("{} has them from {}{} until {}", last_begin->name,
                     price_time_text(set.begin()), other, price_time_text(set.end()));
}

}  // namespace

BrokerInputs load_broker_inputs(const BrokerStudySettings& settings) {
  BrokerInputs inputs;
  for (const MarketSpec& spec : settings.markets) {
    inputs.markets.push_back(load_markets(spec, inputs.records));
    const MarketSet& set = inputs.markets.back();
    if (set.end() - set.begin() >= kBidWindow) continue;
    throw ConfigError(fmt::format(
        "market {}: its markets have {:.1f} days of prices in common, expected at "
        "least the 7 that bids look at: {}",
        spec.label, static_cast<double>(std::max<Seconds>(0, set.end() - set.begin())) / 86'400,
        shortest_markets_text(set)));
  }
  for (const JobsSpec& spec : settings.jobs) {
    inputs.jobs.push_back(read_jobs_of(spec, inputs.records));
    for (std::size_t i = 0; i < inputs.markets.size(); ++i) {
      check_jobs(inputs.jobs.back(), spec.label, inputs.markets[i], settings.markets[i].label,
                 settings.model);
    }
  }
  return inputs;
}

StartRange starts_in(const MarketSet& markets, double days) {
  const Seconds length = markets.end() - markets.begin() - 2 * kBidWindow - seconds_of_days(days);
  return {.first = markets.begin() + kBidWindow, .length = std::max<Seconds>(0, length)};
}

Seconds draw_start(const StartRange& range, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed) * 2 + 1);  // other draws than the jobs'
  return range.first +
         60 * static_cast<Seconds>(random.below(static_cast<std::uint64_t>(range.length / 60) + 1));
}

namespace {

template <class Entries>
const auto& find_in(const Entries& entries, const std::string& name) {
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
  }
  throw ConfigError("no such name: " + name);  // read_broker_settings() lets none through
}

}  // namespace

const BidStrategy& find_bid(const std::string& name) {
  return *find_in(bid_strategies(), name).strategy;
}

const FaultTolerance& find_fault_tolerance(const std::string& name) {
  return *find_in(fault_tolerance_mechanisms(), name).mechanism;
}

const MarketChoice& find_market_choice(const std::string& name) {
  return *find_in(market_choices(), name).choice;
}

}  // namespace cospot
