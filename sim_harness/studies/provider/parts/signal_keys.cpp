#include "sim_harness/studies/provider/parts/signal_keys.hpp"

#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot {
namespace {

SignalQuestion read_signal(const ConfigNode& node, std::string_view key) {
  const std::optional<SignalQuestion> question = parse_signal(node.text);
  if (!question) throw_bad_value(node, key, kSignalExpected);
  return *question;
}

void read_signal_times(const ConfigNode& root, SignalTimes& times) {
  constexpr std::int64_t kMostMinutes = 100'000;
  constexpr std::int64_t kMostFolds = 1'000;
  if (const ConfigNode* node = root.find("signal_every_minutes")) {
    times.every =
        std::chrono::minutes(read_integer(*node, "signal_every_minutes", 1, kMostMinutes));
  }
  if (const ConfigNode* node = root.find("signal_warmup_percent")) {
    times.warmup = read_number(*node, "signal_warmup_percent", 0, 99) / 100;
  }
  if (const ConfigNode* node = root.find("signal_folds")) {
    times.folds = static_cast<std::size_t>(read_integer(*node, "signal_folds", 2, kMostFolds));
  }
}

}  // namespace

AxisValue axis_value(const SignalQuestion& question) { return axis_value(signal_label(question)); }

Json setting_json(const SignalQuestion& question) { return signal_label(question); }

const Axis<SignalSettings, SignalQuestion> kSignalAxis{
    .name = "signal",
    .meaning = "what it says the probability of, and within which time",
    .values = &SignalSettings::signals,
    .read = read_signal};

Setting<SignalSettings> signal_times_setting() {
  return {
      .keys = {"signal_every_minutes", "signal_warmup_percent", "signal_folds"},
      .read = [](const StudyFile& file,
                 SignalSettings& settings) { read_signal_times(file.root, settings.signal_times); },
      .write =
          [](const SignalSettings& settings, Json& configuration) {
            const SignalTimes& times = settings.signal_times;
            configuration["signal_every_minutes"] =
                std::chrono::duration_cast<std::chrono::minutes>(times.every).count();
            configuration["signal_warmup_percent"] = json_of(times.warmup * 100);
            configuration["signal_folds"] = times.folds;
          }};
}

}  // namespace cospot
