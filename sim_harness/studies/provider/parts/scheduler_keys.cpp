#include "sim_harness/studies/provider/parts/scheduler_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMostSchedulers = 1024;
constexpr std::int64_t kMostRetries = 1000;
constexpr std::int64_t kMostSubset = 1'000'000;
constexpr double kMostInterval = 86'400;
constexpr double kMostMs = 3'600'000;
/// Times count whole microseconds.
constexpr double kLeastSeconds = 1e-6;
constexpr double kLeastMs = 1e-3;

constexpr std::array<std::pair<std::string_view, DealRule>, 2> kAssignments{
    {{"request", DealRule::kByRequest}, {"tenant", DealRule::kByTenant}}};
constexpr std::array<std::pair<std::string_view, CommitRule>, 2> kCommits{
    {{"generation", CommitRule::kGeneration}, {"capacity", CommitRule::kCapacity}}};
constexpr std::array<std::pair<std::string_view, RetryRule>, 2> kRetries{
    {{"alternates", RetryRule::kAlternates}, {"refresh", RetryRule::kRefresh}}};

template <class Rule, std::size_t kSize>
Rule read_rule(const ConfigNode& item, std::string_view key,
               const std::array<std::pair<std::string_view, Rule>, kSize>& names) {
  for (const auto& [name, rule] : names) {
    if (item.text == name) return rule;
  }
  throw_bad_value(item, key, fmt::format("{} or {}", names[0].first, names[1].first));
}

template <class Rule, std::size_t kSize>
std::string name_of(Rule rule, const std::array<std::pair<std::string_view, Rule>, kSize>& names) {
  for (const auto& [name, named] : names) {
    if (rule == named) return std::string(name);
  }
  throw std::logic_error("a rule without a name");
}

/// 0, or at least `least`, which is a microsecond.
double read_time(const ConfigNode& item, std::string_view key, double least, double most) {
  const double value = read_number(item, key, 0, most);
  if (value > 0 && value < least) throw_bad_value(item, key, "0, or at least a microsecond");
  return value;
}

}  // namespace

AxisValue axis_value(DealRule rule) { return axis_value(name_of(rule, kAssignments)); }
AxisValue axis_value(CommitRule rule) { return axis_value(name_of(rule, kCommits)); }
AxisValue axis_value(RetryRule rule) { return axis_value(name_of(rule, kRetries)); }
Json setting_json(DealRule rule) { return name_of(rule, kAssignments); }
Json setting_json(CommitRule rule) { return name_of(rule, kCommits); }
Json setting_json(RetryRule rule) { return name_of(rule, kRetries); }

using S = SchedulersSettings;

const Axis<S, std::int64_t> kSchedulersAxis{
    .name = "schedulers",
    .unit = "schedulers",
    .meaning = "that decide at the same time",
    .values = &S::schedulers,
    .read = [](const auto& item, auto key) { return read_integer(item, key, 1, kMostSchedulers); }};

const Axis<S, DealRule> kAssignedByAxis{
    .name = "assigned_by",
    .meaning = "what is assigned to the schedulers in turn: `request` or `tenant`",
    .values = &S::assignments,
    .read = [](const auto& item, auto key) { return read_rule(item, key, kAssignments); },
    .renamed = {{"dealt_by", "assigned_by"}}};

const Axis<S, double> kRefreshIntervalAxis{
    .name = "refresh_interval_s",
    .unit = "s",
    .meaning = "between two refreshes of a scheduler's view; 0: at every decision",
    .values = &S::refresh_intervals_s,
    .read = [](const auto& item, auto key) {
      return read_time(item, key, kLeastSeconds, kMostInterval);
    }};

const Axis<S, double> kDecisionAxis{
    .name = "decision_ms",
    .unit = "ms",
    .meaning = "that a decision takes",
    .values = &S::decisions_ms,
    .read = [](const auto& item, auto key) { return read_time(item, key, kLeastMs, kMostMs); }};

const Axis<S, CommitRule> kCommitRuleAxis{
    .name = "commit_rule",
    .meaning = "when a commit is accepted: `generation` or `capacity`",
    .values = &S::commits,
    .read = [](const auto& item, auto key) { return read_rule(item, key, kCommits); }};

const Axis<S, RetryRule> kRetryRuleAxis{
    .name = "retry_rule",
    .meaning = "what follows a declined commit: `alternates` or `refresh`",
    .values = &S::retry_rules,
    .read = [](const auto& item, auto key) { return read_rule(item, key, kRetries); }};

const Axis<S, std::int64_t> kMaxRetriesAxis{
    .name = "max_retries",
    .unit = "commits",
    .meaning = "allowed after the first one was declined",
    .values = &S::max_retries,
    .read = [](const auto& item, auto key) { return read_integer(item, key, 0, kMostRetries); }};

const Axis<SubsetSettings, std::int64_t> kHostSubsetSizeAxis{
    .name = "host_subset_size",
    .unit = "hosts",
    .meaning = "K: the host is drawn from the first K of the ranking",
    .values = &SubsetSettings::subset_sizes,
    .read = [](const auto& item, auto key) { return read_integer(item, key, 1, kMostSubset); }};

}  // namespace cospot
