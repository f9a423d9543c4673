#include "sim_harness/studies/schedulers/schedulers_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMostSchedulers = 1024;
constexpr std::int64_t kMostRetries = 1000;
constexpr std::int64_t kMostSubset = 1'000'000;
constexpr double kMostSeconds = 86'400;
constexpr double kMostMs = 3'600'000;
/// Times count whole microseconds.
constexpr double kLeastSeconds = 1e-6;
constexpr double kLeastMs = 1e-3;

constexpr std::array<std::pair<std::string_view, DealRule>, 2> kDeals{
    {{"request", DealRule::kByRequest}, {"tenant", DealRule::kByTenant}}};
constexpr std::array<std::pair<std::string_view, CommitRule>, 2> kCommits{
    {{"generation", CommitRule::kGeneration}, {"capacity", CommitRule::kCapacity}}};
constexpr std::array<std::pair<std::string_view, RetryRule>, 2> kRetries{
    {{"alternates", RetryRule::kAlternates}, {"refresh", RetryRule::kRefresh}}};

template <class Rule, std::size_t kSize>
std::vector<Rule> read_rules(const ConfigNode& node, std::string_view key,
                             const std::array<std::pair<std::string_view, Rule>, kSize>& names) {
  return read_distinct(node, key, [&](const ConfigNode& item) {
    for (const auto& [name, rule] : names) {
      if (item.text == name) return rule;
    }
    throw_bad_value(item, key, fmt::format("{} or {}", names[0].first, names[1].first));
  });
}

template <class Rule, std::size_t kSize>
std::string name_json(Rule rule,
                      const std::array<std::pair<std::string_view, Rule>, kSize>& names) {
  for (const auto& [name, named] : names) {
    if (rule == named) return json_text(name);
  }
  return "null";
}

/// 0, or at least `least`, which is a microsecond.
std::vector<double> read_times(const ConfigNode& node, std::string_view key, double least,
                               double most) {
  return read_distinct(node, key, [&](const ConfigNode& item) {
    const double value = read_number(item, key, 0, most);
    if (value > 0 && value < least) {
      throw_bad_value(item, key, "0, or at least a microsecond");
    }
    return value;
  });
}

std::vector<std::int64_t> read_integers(const ConfigNode& node, std::string_view key,
                                        std::int64_t least, std::int64_t most) {
  return read_distinct(
      node, key, [&](const ConfigNode& item) { return read_integer(item, key, least, most); });
}

void read_schedulers(const ConfigNode& root, SchedulersSettings& settings) {
  constexpr std::string_view kStudy = "study schedulers";
  settings.schedulers =
      read_integers(require_key(root, kStudy, "schedulers"), "schedulers", 1, kMostSchedulers);
  settings.refresh_intervals_s = read_times(require_key(root, kStudy, "refresh_interval_s"),
                                            "refresh_interval_s", kLeastSeconds, kMostSeconds);
  if (const ConfigNode* node = root.find("dealt_by")) {
    settings.deals = read_rules(*node, "dealt_by", kDeals);
  }
  if (const ConfigNode* node = root.find("decision_ms")) {
    settings.decisions_ms = read_times(*node, "decision_ms", kLeastMs, kMostMs);
  }
  if (const ConfigNode* node = root.find("commit_rule")) {
    settings.commits = read_rules(*node, "commit_rule", kCommits);
  }
  if (const ConfigNode* node = root.find("retry_rule")) {
    settings.retry_rules = read_rules(*node, "retry_rule", kRetries);
  }
  if (const ConfigNode* node = root.find("max_retries")) {
    settings.max_retries = read_integers(*node, "max_retries", 0, kMostRetries);
  }
  if (const ConfigNode* node = root.find("host_subset_size")) {
    settings.subset_sizes = read_integers(*node, "host_subset_size", 1, kMostSubset);
  }
  if (const ConfigNode* node = root.find("seed")) {
    settings.seeds = read_integers(*node, "seed", 0, std::numeric_limits<std::int64_t>::max());
  }
}

}  // namespace

std::string SchedulersSettings::json() const {
  const auto number = [](double value) { return json_number(value); };
  const auto integer = [](std::int64_t value) { return std::to_string(value); };
  return provider_settings_json(*this)
      .add("schedulers", list_of(schedulers, integer))
      .add("dealt_by", list_of(deals, [](DealRule rule) { return name_json(rule, kDeals); }))
      .add("refresh_interval_s", list_of(refresh_intervals_s, number))
      .add("decision_ms", list_of(decisions_ms, number))
      .add("commit_rule",
           list_of(commits, [](CommitRule rule) { return name_json(rule, kCommits); }))
      .add("retry_rule",
           list_of(retry_rules, [](RetryRule rule) { return name_json(rule, kRetries); }))
      .add("max_retries", list_of(max_retries, integer))
      .add("host_subset_size", list_of(subset_sizes, integer))
      .add("seed", list_of(seeds, integer))
      .text();
}

SchedulersSettings read_schedulers_settings(const StudyFile& file) {
  const ConfigNode& root = file.root;
  std::vector<std::string_view> keys(kProviderKeys.begin(), kProviderKeys.end());
  keys.insert(keys.end(), {"schedulers", "dealt_by", "refresh_interval_s", "decision_ms",
                           "commit_rule", "retry_rule", "max_retries", "host_subset_size", "seed"});
  require_known_keys(root, "study schedulers", keys);
  SchedulersSettings settings{
      read_provider_settings(root, file.folder, file.window, *file.policies)};
  read_schedulers(root, settings);
  refuse_forecasts(root, "vm", settings.vm, "schedulers");
  refuse_forecasts(root, "spot", settings.spot, "schedulers");
  return settings;
}

}  // namespace cospot
