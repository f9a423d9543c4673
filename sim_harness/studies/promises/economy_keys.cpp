#include "sim_harness/studies/promises/economy_keys.hpp"

#include <optional>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"

namespace cospot {
namespace {

constexpr double kMostDays = 100'000;
constexpr double kLeastHours = 1.0 / 60;

using E = EconomySettings;
using P = PromiseSettings;

Field<E> penalty(const Field<PenaltyRule>& field) {
  return within(&E::promise, within(&P::penalty, field));
}

Field<E> with_null(Field<E> field) {
  field.read = [read = field.read](const auto& value, auto name, E& settings) {
    if (value.kind != ConfigNode::Kind::kNull) read(value, name, settings);
  };
  field.write = [write = field.write](const E& settings) {
    return write(settings).value_or(nullptr);
  };
  return field;
}

const Fields<E> kFields{
    number_field("period_hours", &E::period_hours, kLeastHours, kMostDays),
    number_field("training_days", &E::training_days, 0, kMostDays),
    number_field("horizon_days", &E::horizon_days, 0, kMostDays),
    {.key = "step_days",
     .read = [](const auto& value, auto name,
                E& settings) { settings.step_days = read_number(value, name, 0, kMostDays); },
     .write =
         [](const E& settings) {
           return json_of(settings.step_days.value_or(settings.horizon_days));
         }},
    number_field("season_days", &E::season_days, 0, kMostDays),
    choice_field("gaps", &E::gaps, {"refuse", "repeat"}, {GapRule::kRefuse, GapRule::kRepeat}),
    within(&E::promise, flag_field("clamp", &P::clamp)),
    choice_field("resource", &E::resource, {"vcpus", "memory_mb"},
                 {UsageResource::kVcpus, UsageResource::kMemoryMb}),
    with_null(number_field("capacity", &E::capacity, 1, kMaxSlackAmount / kSlackUnit)),
    number_field("bill_days", &E::bill_days, 0, kMostDays),
    penalty(percent_field("penalty_percent", &PenaltyRule::rate, 0, 100)),
    penalty(percent_field("penalty_below_percent", &PenaltyRule::threshold, 0, 100)),
    penalty(flag_field("penalty_at_threshold", &PenaltyRule::at_threshold)),
    penalty(choice_field("penalty_on", &PenaltyRule::on_all_revenue, {"economy", "all"},
                         {false, true})),
    within(&E::promise, choice_field("sellable_slack", &P::sellable, {"oracle", "mean"},
                                     {SellableSlack::kOracle, SellableSlack::kMean})),
    number_field("opportunistic_price", &E::opportunistic_price, 0, 1),
    {.key = "time_zone",
     .read =
         [](const auto& value, auto name, E& settings) {
           settings.zone = TimeZone::named(read_text(value, name), key_place(value, name));
         },
     .write = [](const E& settings) -> std::optional<Json> {
       if (settings.zone.is_utc()) return std::nullopt;
       return settings.zone.name();
     }}};

}  // namespace

std::vector<std::string_view> economy_keys() { return kFields.keys({}, {"forecasts"}); }

EconomySettings read_economy_settings(const ConfigNode& root, const std::filesystem::path& folder) {
  EconomySettings settings;
  kFields.read(root, "economy", settings);
  if (const ConfigNode* forecasts = root.find("forecasts")) {
    settings.forecasts = folder / read_text(*forecasts, "forecasts");
  }
  settings.check();
  return settings;
}

Json economy_json(const EconomySettings& settings) { return kFields.json(settings); }

}  // namespace cospot
