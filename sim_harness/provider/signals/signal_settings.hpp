#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The event whose probability a provider's signal states.
enum class SignalKind : std::uint8_t {
  kObtainable,  ///< `count` spots of a flavor fit at some time within the span
  kSurvives,    ///< a spot placed now is not evicted within the span
  kEvicted,     ///< a spot running now is evicted within the span
};

/// A signal with its horizon: a value of the axis `signal`.
struct SignalQuestion {
  SignalKind kind = SignalKind::kObtainable;
  std::int64_t count = 1;  ///< number of spots; kObtainable only
  SimTime span{0};

  friend bool operator==(const SignalQuestion&, const SignalQuestion&) = default;
};

/// `obtainable:count=4:minutes=10`, `survives:hours=6`, `evicted:minutes=10`.
[[nodiscard]] std::string signal_label(const SignalQuestion& question);
/// The inverse of signal_label; nothing if the label is not a signal.
[[nodiscard]] std::optional<SignalQuestion> parse_signal(std::string_view label);
/// The expected form, for error messages.
inline constexpr std::string_view kSignalExpected =
    "obtainable:count=N:minutes=M, survives:hours=H or evicted:minutes=M, each a whole number from "
    "1 to 100000";

/// The signals of a study that names none.
[[nodiscard]] std::vector<SignalQuestion> default_signals();

/// The times at which signals are given, and the folds over which they are scored.
struct SignalTimes {
  SimTime every{std::chrono::minutes(30)};
  /// The share of the window before the first scored signal: data to learn from.
  double warmup = 0.25;
  std::size_t folds = 10;

  friend bool operator==(const SignalTimes&, const SignalTimes&) = default;
};

}  // namespace cospot
