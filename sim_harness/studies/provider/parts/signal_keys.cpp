#include "sim_harness/studies/provider/parts/signal_keys.hpp"

#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot {
namespace {

SignalQuestion read_signal(const ConfigNode& node, std::string_view key) {
  const std::optional<SignalQuestion> question = parse_signal(node.text);
  if (!question) throw_bad_value(node, key, kSignalExpected);
  return *question;
}

constexpr std::int64_t kMostMinutes = 100'000;

const Fields<SignalTimes> kTimeFields{
    {.key = "signal_every_minutes",
     .read =
         [](const auto& value, auto name, SignalTimes& times) {
           times.every = std::chrono::minutes(read_integer(value, name, 1, kMostMinutes));
         },
     .write =
         [](const SignalTimes& times) {
           return Json(std::chrono::duration_cast<std::chrono::minutes>(times.every).count());
         }},
    percent_field("signal_warmup_percent", &SignalTimes::warmup, 0, 99),
    number_field("signal_folds", &SignalTimes::folds, 2, 1'000)};

}  // namespace

AxisValue axis_value(const SignalQuestion& question) { return axis_value(signal_label(question)); }

Json setting_json(const SignalQuestion& question) { return signal_label(question); }

const Axis<SignalSettings, SignalQuestion> kSignalAxis{
    .name = "signal",
    .meaning = "what it says the probability of, and within which time",
    .values = &SignalSettings::signals,
    .read = read_signal};

Setting<SignalSettings> signal_times_setting() {
  return setting_of<SignalSettings>(kTimeFields, &SignalSettings::signal_times);
}

}  // namespace cospot
