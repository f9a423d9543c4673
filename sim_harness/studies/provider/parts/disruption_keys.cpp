#include "sim_harness/studies/provider/parts/disruption_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/provider/disruptions/life_files.hpp"

namespace cospot {
namespace {

constexpr double kMostDays = 10'000;
constexpr double kMostSeconds = kMostDays * 86'400;
constexpr double kMostHours = kMostDays * 24;
/// No rule asks more often, so that a run ends.
constexpr double kLeastWaitS = 0.001;

double read_in(const ConfigNode& node, const std::string& key, std::string_view name, double least,
               double most) {
  return read_number(require_key(node, key, name), fmt::format("{}.{}", key, name), least, most);
}

SimTime seconds_of(double seconds) { return SimTime(std::llround(seconds * 1e6)); }

std::uint64_t read_seed(const ConfigNode& node, const std::string& key) {
  const ConfigNode* seed = node.find("seed");
  if (seed == nullptr) return 1;
  return static_cast<std::uint64_t>(
      read_integer(*seed, key + ".seed", 0, std::numeric_limits<std::int64_t>::max()));
}

void read_classes(const ConfigNode& node, const std::string& key, Backoff& rule) {
  rule.vms = rule.spots = false;
  for (const ConfigNode* item : read_list(node, key + ".classes")) {
    bool& is_in = item->text == "vm" ? rule.vms : rule.spots;
    if ((item->text != "vm" && item->text != "spot") || is_in) {
      throw_bad_value(*item, key + ".classes", "vm, spot, or both, each once");
    }
    is_in = true;
  }
}

/// So that a run ends: a request does not ask more often than anybody would.
void require_few_tries(const ConfigNode& node, const std::string& key, const Backoff& rule) {
  constexpr int kMostTries = 100'000;
  SimTime wait = std::min(rule.first_wait, rule.longest_wait);
  SimTime time = wait;
  for (int tries = 0; time <= rule.patience; ++tries) {
    if (tries == kMostTries) {
      throw ConfigError(fmt::format(
          "{}: more than {} tries of one request, expected longer waits or less patience",
          key_place(node, key), kMostTries));
    }
    wait = rule.wait_after(wait);
    time += wait;
  }
}

Backoff read_backoff(const ConfigNode& node, const std::string& key, bool may_have_classes) {
  static constexpr std::array<std::string_view, 5> kKeys{"patience_s", "first_wait_s", "factor",
                                                         "longest_wait_s", "classes"};
  require_known_keys(node, key, std::span(kKeys).first(may_have_classes ? 5 : 4));
  Backoff rule;
  rule.patience = seconds_of(read_in(node, key, "patience_s", 0, kMostSeconds));
  if (node.find("first_wait_s") != nullptr) {
    rule.first_wait = seconds_of(read_in(node, key, "first_wait_s", kLeastWaitS, kMostSeconds));
  }
  if (const ConfigNode* factor = node.find("factor")) {
    const double number = read_in(node, key, "factor", 1, 1000);
    rule.factor = Decimal::parse(factor->text).value_or(Decimal::of(number));
  }
  if (node.find("longest_wait_s") != nullptr) {
    rule.longest_wait = seconds_of(read_in(node, key, "longest_wait_s", kLeastWaitS, kMostSeconds));
  }
  if (const ConfigNode* classes = node.find("classes")) read_classes(*classes, key, rule);
  require_few_tries(node, key, rule);
  return rule;
}

/// True if the node names a file in place of a rate.
bool is_file(const ConfigNode& node) { return node.kind == ConfigNode::Kind::kScalar; }

template <class Read>
auto read_file(const ConfigNode& node, std::string_view key, const std::filesystem::path& folder,
               const Read& read) {
  const std::string name = read_text(node, key);
  const std::filesystem::path path = name;
  auto file = read(path.is_absolute() ? path : folder / path);
  file.name = name;
  return file;
}

void read_failures(const ConfigNode& node, const std::filesystem::path& folder,
                   LifeSettings& life) {
  const std::string key = "failures";
  if (is_file(node)) {
    life.failures = read_file(node, key, folder, [](const std::filesystem::path& path) {
      return read_outages(path, OutageKind::kFailure);
    });
    return;
  }
  static constexpr std::array<std::string_view, 3> kKeys{"mtbf_days", "repair_h", "seed"};
  require_known_keys(node, key, kKeys);
  life.failure_rate = FailureRate{.mtbf_days = read_in(node, key, "mtbf_days", 0.01, 1e6),
                                  .repair_h = read_in(node, key, "repair_h", 0.001, kMostHours),
                                  .seed = read_seed(node, key)};
}

void read_maintenance(const ConfigNode& node, const std::filesystem::path& folder,
                      LifeSettings& life) {
  const std::string key = "maintenance";
  if (is_file(node)) {
    life.maintenance = read_file(node, key, folder, [](const std::filesystem::path& path) {
      return read_outages(path, OutageKind::kMaintenance);
    });
    return;
  }
  static constexpr std::array<std::string_view, 4> kKeys{"every_days", "lasts_h", "notice_h",
                                                         "seed"};
  require_known_keys(node, key, kKeys);
  MaintenanceRate rate{.every_days = read_in(node, key, "every_days", 0.01, kMostDays),
                       .lasts_h = read_in(node, key, "lasts_h", 0.001, kMostHours),
                       .seed = read_seed(node, key)};
  if (node.find("notice_h") != nullptr) {
    rate.notice_h = read_in(node, key, "notice_h", 0, kMostHours);
  }
  if (rate.lasts_h + rate.notice_h >= 24 * rate.every_days) {
    throw ConfigError(fmt::format(
        "{}: {} h of notice and {} h of work every {} days leave a host no time, "
        "expected less than {} h together",
        key_place(node, key), rate.notice_h, rate.lasts_h, rate.every_days, 24 * rate.every_days));
  }
  life.maintenance_rate = rate;
}

double in_seconds(SimTime time) { return static_cast<double>(time.count()) / 1e6; }

Json rule_json(const Backoff& rule, bool has_classes) {
  Json json{{"patience_s", json_of(in_seconds(rule.patience))},
            {"first_wait_s", json_of(in_seconds(rule.first_wait))},
            {"factor", json_of(rule.factor.number())},
            {"longest_wait_s", json_of(in_seconds(rule.longest_wait))}};
  if (!has_classes) return json;
  Json& classes = json["classes"] = Json::array();
  if (rule.vms) classes.push_back("vm");
  if (rule.spots) classes.push_back("spot");
  return json;
}

}  // namespace

LifeSettings read_life(const ConfigNode& node, const std::filesystem::path& folder) {
  LifeSettings life;
  if (node.kind == ConfigNode::Kind::kScalar) {
    if (node.text != "none") throw_bad_value(node, "disruptions", "none, or a mapping");
    return life;
  }
  static constexpr std::array<std::string_view, 7> kKeys{
      "label", "retries", "returning_spots", "after_a_wait", "failures", "maintenance", "resizes"};
  require_known_keys(node, "disruptions", kKeys);
  std::vector<std::string_view> names;
  for (const ConfigEntry& entry : node.entries) {
    if (entry.key != "label" && entry.key != "after_a_wait") names.push_back(entry.key);
    const ConfigNode& value = entry.value;
    if (entry.key == "retries") life.retries = read_backoff(value, entry.key, true);
    if (entry.key == "returning_spots")
      life.returning_spots = read_backoff(value, entry.key, false);
    if (entry.key == "failures") read_failures(value, folder, life);
    if (entry.key == "maintenance") read_maintenance(value, folder, life);
    if (entry.key == "resizes") life.resizes = read_file(value, entry.key, folder, read_resizes);
    if (entry.key == "after_a_wait") {
      life.ends_stay = value.text == "same_end";
      if (!life.ends_stay && value.text != "whole_life") {
        throw_bad_value(value, "disruptions.after_a_wait", "whole_life or same_end");
      }
    }
  }
  life.label = names.empty() ? "none" : fmt::format("{}", fmt::join(names, "+"));
  if (const ConfigNode* label = node.find("label")) {
    life.label = read_label(*label, "disruptions.label");
    if (life.label == "none" && !life.is_off()) {
      throw_bad_value(*label, "disruptions.label",
                      "another one: 'none' is that of runs without disruptions");
    }
  }
  return life;
}

std::vector<LifeSettings> read_lives(const ConfigNode& node, const std::filesystem::path& folder) {
  std::vector<LifeSettings> lives;
  std::set<std::string> labels;
  for (const ConfigNode* item : read_list(node, "disruptions")) {
    lives.push_back(read_life(*item, folder));
    if (labels.insert(lives.back().label).second) continue;
    throw ConfigError(fmt::format("{}: two have the label '{}'; give each a 'label' of its own",
                                  key_place(*item, "disruptions"), lives.back().label));
  }
  return lives;
}

Json setting_json(const LifeSettings& life) {
  Json json{{"label", life.label}};
  if (life.is_off()) return json;
  json["after_a_wait"] = life.ends_stay ? "same_end" : "whole_life";
  if (life.retries.patience > SimTime{0}) json["retries"] = rule_json(life.retries, true);
  if (life.returning_spots.patience > SimTime{0}) {
    json["returning_spots"] = rule_json(life.returning_spots, false);
  }
  if (const auto& rate = life.failure_rate) {
    json["failures"] = {{"mtbf_days", json_of(rate->mtbf_days)},
                        {"repair_h", json_of(rate->repair_h)},
                        {"seed", rate->seed}};
  }
  if (const auto& rate = life.maintenance_rate) {
    json["maintenance"] = {{"every_days", json_of(rate->every_days)},
                           {"lasts_h", json_of(rate->lasts_h)},
                           {"notice_h", json_of(rate->notice_h)},
                           {"seed", rate->seed}};
  }
  if (!life.failures.name.empty()) json["failures"] = life.failures.name;
  if (!life.maintenance.name.empty()) json["maintenance"] = life.maintenance.name;
  if (!life.resizes.name.empty()) json["resizes"] = life.resizes.name;
  return json;
}

void add_life_files(const LifeSettings& life, std::vector<InputRecord>& records) {
  const auto add = [&records](const auto& file) {
    const InputRecord record{
        .label = file.name, .sha256 = file.sha256, .name = file.name, .key = "disruptions"};
    const bool is_new = std::ranges::find(records, record) == records.end();
    if (!file.name.empty() && is_new) records.push_back(record);
  };
  add(life.failures);
  add(life.maintenance);
  add(life.resizes);
}

AxisValue axis_value(const LifeSettings& life) {
  return {life.label, life.label, flow_yaml(setting_json(life))};
}

const Axis<DisruptionSettings, LifeSettings> kDisruptionsAxis{
    .name = "disruptions",
    .meaning = "label of what happens in addition to the workload; `none`: nothing",
    .values = &DisruptionSettings::lives,
    .read_all =
        [](const StudyFile& file, const DisruptionSettings&) {
          return read_lives(require_key(file.root, "study", "disruptions"), file.folder);
        },
    .renamed = {{"life", "disruptions"}}};

}  // namespace cospot
