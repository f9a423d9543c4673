#include "sim_harness/studies/promises/economy_keys.hpp"

#include <fmt/format.h>

#include <optional>

#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot {
namespace {

constexpr double kMostDays = 100'000;

void read_number_key(const ConfigNode& root, std::string_view key, double least, double most,
                     double& value) {
  if (const ConfigNode* node = root.find(key)) value = read_number(*node, key, least, most);
}

void read_flag(const ConfigNode& root, std::string_view key, bool& value) {
  if (const ConfigNode* node = root.find(key)) value = read_bool(*node, key);
}

/// Reads one of two names; `second` is what true stands for.
bool read_choice(const ConfigNode& root, std::string_view key, std::string_view first,
                 std::string_view second, bool otherwise) {
  const ConfigNode* node = root.find(key);
  if (node == nullptr) return otherwise;
  const std::string text = read_text(*node, key);
  if (text != first && text != second) {
    throw_bad_value(*node, key, fmt::format("one of: {}, {}", first, second));
  }
  return text == second;
}

void read_penalty(const ConfigNode& root, EconomySettings& settings) {
  constexpr double kPercent = 100;
  PenaltyRule& penalty = settings.promise.penalty;
  double rate = penalty.rate * kPercent, threshold = penalty.threshold * kPercent;
  read_number_key(root, "penalty_percent", 0, kPercent, rate);
  read_number_key(root, "penalty_below_percent", 0, kPercent, threshold);
  penalty.rate = rate / kPercent;
  penalty.threshold = threshold / kPercent;
  read_flag(root, "penalty_at_threshold", penalty.at_threshold);
  penalty.on_all_revenue =
      read_choice(root, "penalty_on", "economy", "all", penalty.on_all_revenue);
}

}  // namespace

EconomySettings read_economy_settings(const ConfigNode& root, const std::filesystem::path& folder) {
  EconomySettings settings;
  constexpr double kLeastHours = 1.0 / 60;
  read_number_key(root, "period_hours", kLeastHours, kMostDays, settings.period_hours);
  read_number_key(root, "training_days", 0, kMostDays, settings.training_days);
  read_number_key(root, "horizon_days", 0, kMostDays, settings.horizon_days);
  if (const ConfigNode* step = root.find("step_days")) {
    settings.step_days = read_number(*step, "step_days", 0, kMostDays);
  }
  read_number_key(root, "season_days", 0, kMostDays, settings.season_days);
  read_number_key(root, "bill_days", 0, kMostDays, settings.bill_days);
  read_number_key(root, "opportunistic_price", 0, 1, settings.opportunistic_price);
  read_flag(root, "clamp", settings.promise.clamp);
  read_penalty(root, settings);
  settings.gaps =
      read_choice(root, "gaps", "refuse", "repeat", false) ? GapRule::kRepeat : GapRule::kRefuse;
  settings.promise.sellable = read_choice(root, "sellable_slack", "oracle", "mean", false)
                                  ? SellableSlack::kMean
                                  : SellableSlack::kOracle;
  settings.resource = read_choice(root, "resource", "vcpus", "memory_mb", false)
                          ? UsageResource::kMemoryMb
                          : UsageResource::kVcpus;
  if (const ConfigNode* capacity = root.find("capacity")) {
    constexpr std::int64_t kMost = kMaxSlackAmount / kSlackUnit;
    settings.capacity = read_integer(*capacity, "capacity", 1, kMost);
  }
  if (const ConfigNode* forecasts = root.find("forecasts")) {
    settings.forecasts = folder / read_text(*forecasts, "forecasts");
  }
  if (const ConfigNode* zone = root.find("time_zone")) {
    settings.zone = TimeZone::named(read_text(*zone, "time_zone"), key_place(*zone, "time_zone"));
  }
  settings.check();
  return settings;
}

Json economy_json(const EconomySettings& settings) {
  const PromiseSettings& promise = settings.promise;
  const PenaltyRule& penalty = promise.penalty;
  const auto capacity =
      settings.capacity ? std::optional(static_cast<double>(*settings.capacity)) : std::nullopt;
  const bool is_memory = settings.resource == UsageResource::kMemoryMb;
  Json json{{"period_hours", json_of(settings.period_hours)},
            {"training_days", json_of(settings.training_days)},
            {"horizon_days", json_of(settings.horizon_days)},
            {"step_days", json_of(settings.step_days.value_or(settings.horizon_days))},
            {"season_days", json_of(settings.season_days)},
            {"gaps", settings.gaps == GapRule::kRepeat ? "repeat" : "refuse"},
            {"clamp", promise.clamp},
            {"resource", is_memory ? "memory_mb" : "vcpus"},
            {"capacity", json_of(capacity)},
            {"bill_days", json_of(settings.bill_days)},
            {"penalty_percent", json_of(penalty.rate * 100)},
            {"penalty_below_percent", json_of(penalty.threshold * 100)},
            {"penalty_at_threshold", penalty.at_threshold},
            {"penalty_on", penalty.on_all_revenue ? "all" : "economy"},
            {"sellable_slack", promise.sellable == SellableSlack::kMean ? "mean" : "oracle"},
            {"opportunistic_price", json_of(settings.opportunistic_price)}};
  if (!settings.zone.is_utc()) json["time_zone"] = settings.zone.name();
  return json;
}

}  // namespace cospot
