#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/provider_signals.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

/// The key of a customer's study that names a file written by `cospot signals -o`.
inline constexpr std::string_view kSignalsKey = "signals";

/// The contents of such a file, or of one for each of several histories.
class SignalsInput {
 public:
  struct File {
    std::string label;  ///< the path as written
    std::filesystem::path path;
    ProviderSignals signals;
  };
  explicit SignalsInput(std::vector<File> files);

  /// The signals for the flavor of a trace: from the only file, otherwise from the one learned from
  /// the trace's history. Errors: ConfigError that starts with `subject`.
  [[nodiscard]] const FlavorSignals& of(const AvailabilityTrace& trace,
                                        const std::string& subject) const;
  /// Rejects a job that starts in the part of the history from which the signals were learned.
  void require_held_out(const AvailabilityTrace& trace, SimTime start,
                        const std::string& subject) const;
  [[nodiscard]] std::vector<InputRecord> records() const;
  [[nodiscard]] Json labels() const;

 private:
  [[nodiscard]] const File& file_of(const AvailabilityTrace& trace,
                                    const std::string& subject) const;

  std::shared_ptr<const std::vector<File>> files_;
};

/// Nothing if the file has no such key. Errors: ConfigError.
[[nodiscard]] std::optional<SignalsInput> read_signals_input(const StudyFile& file);

/// Errors: ConfigError if a strategy that uses signals is chosen without any.
void require_signals(const ConfigNode& root, std::string_view key, const std::string& name);

/// The row of a study's table; `Settings` has a member `signals`.
template <class Settings>
[[nodiscard]] Setting<Settings> signals_setting_of() {
  return {.keys = {kSignalsKey},
          .read = [](const StudyFile& file,
                     Settings& settings) { settings.signals = read_signals_input(file); },
          .write =
              [](const Settings& settings, Json& configuration) {
                if (settings.signals) configuration["signals"] = settings.signals->labels();
              }};
}

}  // namespace cospot
