#include "sim_harness/studies/provider/parts/disruption_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
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

constexpr auto kMostSeed = std::numeric_limits<std::int64_t>::max();

SimTime seconds_of(double seconds) { return SimTime(std::llround(seconds * 1e6)); }
double in_seconds(SimTime time) { return static_cast<double>(time.count()) / 1e6; }

Field<Backoff> wait_field(std::string_view key, SimTime Backoff::*wait, double least) {
  return {.key = key,
          .read =
              [=](const ConfigNode& value, std::string_view name, Backoff& rule) {
                rule.*wait = seconds_of(read_number(value, name, least, kMostSeconds));
              },
          .write = [wait](const Backoff& rule) { return json_of(in_seconds(rule.*wait)); }};
}

const Fields<Backoff> kBackoffFields{
    required(wait_field("patience_s", &Backoff::patience, 0)),
    wait_field("first_wait_s", &Backoff::first_wait, kLeastWaitS),
    {.key = "factor",
     .read =
         [](const auto& value, auto name, Backoff& rule) {
           const double number = read_number(value, name, 1, 1000);
           rule.factor = Decimal::parse(value.text).value_or(Decimal::of(number));
         },
     .write = [](const Backoff& rule) { return json_of(rule.factor.number()); }},
    wait_field("longest_wait_s", &Backoff::longest_wait, kLeastWaitS)};

const Fields<FailureRate> kFailureFields{
    required(number_field("mtbf_days", &FailureRate::mtbf_days, 0.01, 1e6)),
    required(number_field("repair_h", &FailureRate::repair_h, 0.001, kMostHours)),
    number_field("seed", &FailureRate::seed, 0, kMostSeed)};

const Fields<MaintenanceRate> kMaintenanceFields{
    required(number_field("every_days", &MaintenanceRate::every_days, 0.01, kMostDays)),
    required(number_field("lasts_h", &MaintenanceRate::lasts_h, 0.001, kMostHours)),
    number_field("notice_h", &MaintenanceRate::notice_h, 0, kMostHours),
    number_field("seed", &MaintenanceRate::seed, 0, kMostSeed)};

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
  std::vector<std::string_view> keys = kBackoffFields.keys();
  if (may_have_classes) keys.emplace_back("classes");
  require_known_keys(node, key, keys);
  Backoff rule;
  kBackoffFields.read(node, key, rule, key + ".");
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
  life.failure_rate = kFailureFields.read_all(node, key, key + ".");
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
  const MaintenanceRate rate = kMaintenanceFields.read_all(node, key, key + ".");
  if (rate.lasts_h + rate.notice_h >= 24 * rate.every_days) {
    throw ConfigError(fmt::format(
        "{}: {} h of notice and {} h of work every {} days leave a host no time, "
        "expected less than {} h together",
        key_place(node, key), rate.notice_h, rate.lasts_h, rate.every_days, 24 * rate.every_days));
  }
  life.maintenance_rate = rate;
}

Json rule_json(const Backoff& rule, bool has_classes) {
  Json json = kBackoffFields.json(rule);
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
  Labels labels;
  for (const ConfigNode* item : read_list(node, "disruptions")) {
    lives.push_back(read_life(*item, folder));
    labels.add(lives.back().label, *item, "disruptions");
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
  if (const auto& rate = life.failure_rate) json["failures"] = kFailureFields.json(*rate);
  if (const auto& rate = life.maintenance_rate) {
    json["maintenance"] = kMaintenanceFields.json(*rate);
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
