#include "sim_harness/studies/provider/parts/economy_keys.hpp"

#include <array>
#include <string_view>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/studies/promises/economy_keys.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {
namespace {

ClassPromise read_promise(const ConfigNode& node) {
  constexpr double kMostConfidence = 0.999999;
  if (node.text == kUnlimitedPromise) return {};
  return {read_number(node, "promise", 0, kMostConfidence)};
}

std::string read_forecaster(const ConfigNode& node) {
  std::string forecaster = read_label(node, "forecaster");
  if (forecaster != "oracle") return forecaster;
  throw_bad_value(node, "forecaster", "ses, mean, minimum, arima or ets");
}

using E = EconomyClassSettings;

}  // namespace

const Setting<E> kForecasterSetting = setting_of<E>(
    Fields<E>{{.key = "forecaster",
               .read = [](const auto& value, auto,
                          E& settings) { settings.forecaster = read_forecaster(value); },
               .write = [](const E& settings) { return Json(settings.forecaster); }}});

const Setting<E> kEconomyPriceSetting =
    setting_of<E>(Fields<E>{number_field("economy_price", &E::economy_price, 0, 1)});

Setting<E> economy_promise_setting() {
  Setting<E> setting = economy_setting(&E::economy);
  static constexpr std::array kOfUsage{"capacity", "resource", "time_zone"};
  for (const char* key : kOfUsage) std::erase(setting.keys, key);
  setting.write = [write = setting.write](const E& settings, Json& configuration) {
    write(settings, configuration);
    for (const char* key : kOfUsage) configuration.erase(key);
  };
  return setting;
}

const Axis<E, ChainSpec> kEconomyAxis{
    .name = "economy",
    .meaning = "label of the policy that places economy instances",
    .values = &E::economy_chains,
    .read_all = [](const StudyFile& file, const E&) {
      std::vector<ChainSpec> chains = read_chains_of(file, "economy");
      refuse_spot_forecasts(file.root, "economy", chains);
      return chains;
    }};

const Axis<E, double> kEconomyPercentAxis{
    .name = "economy_percent",
    .unit = "% of spots",
    .meaning = "that are sold as economy instances",
    .values = &E::percents,
    .read = [](const auto& item, auto key) { return read_number(item, key, 0, 100); }};

const Axis<E, ClassPromise> kPromiseAxis{
    .name = "promise",
    .meaning = "confidence of what is promised to the Economy class, or `unlimited`",
    .values = &E::promises,
    .read = [](const auto& item, auto) { return read_promise(item); }};

}  // namespace cospot
