#include "sim_harness/provider/signals/signal_settings.hpp"

#include <fmt/format.h>

#include <array>

#include "core/parse_number.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMostAmount = 100'000;
using Minutes = std::chrono::minutes;
using Hours = std::chrono::hours;

/// A whole number behind `key=`; takes both from `text`.
std::optional<std::int64_t> take_amount(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return std::nullopt;
  text.remove_prefix(key.size());
  const std::string_view number = text.substr(0, text.find(':'));
  text.remove_prefix(number.size());
  const auto amount = parse_integer<std::int64_t>(number);
  return amount && *amount >= 1 && *amount <= kMostAmount ? amount : std::nullopt;
}

}  // namespace

std::string signal_label(const SignalQuestion& question) {
  const auto minutes = std::chrono::duration_cast<Minutes>(question.span).count();
  switch (question.kind) {
    case SignalKind::kObtainable:
      return fmt::format("obtainable:count={}:minutes={}", question.count, minutes);
    case SignalKind::kSurvives:
      return fmt::format("survives:hours={}", minutes / 60);
    case SignalKind::kEvicted:
      break;
  }
  return fmt::format("evicted:minutes={}", minutes);
}

std::optional<SignalQuestion> parse_signal(std::string_view label) {
  SignalQuestion question;
  std::string_view rest = label.substr(std::min(label.find(':'), label.size()));
  const std::string_view kind = label.substr(0, label.size() - rest.size());
  std::optional<std::int64_t> amount;
  if (kind == "obtainable") {
    const std::optional<std::int64_t> count = take_amount(rest, ":count=");
    if (!count) return std::nullopt;
    question.count = *count;
    amount = take_amount(rest, ":minutes=");
  } else if (kind == "survives") {
    question.kind = SignalKind::kSurvives;
    amount = take_amount(rest, ":hours=");
  } else if (kind == "evicted") {
    question.kind = SignalKind::kEvicted;
    amount = take_amount(rest, ":minutes=");
  }
  if (!amount || !rest.empty()) return std::nullopt;
  question.span =
      question.kind == SignalKind::kSurvives ? SimTime(Hours(*amount)) : SimTime(Minutes(*amount));
  return question;
}

std::vector<SignalQuestion> default_signals() {
  std::vector<SignalQuestion> questions;
  for (const std::int64_t count : {1, 4, 16}) {
    for (const int minutes : {10, 60}) {
      questions.push_back({SignalKind::kObtainable, count, Minutes(minutes)});
    }
  }
  for (const int hours : {1, 6, 24}) questions.push_back({SignalKind::kSurvives, 1, Hours(hours)});
  for (const int minutes : {10, 60}) {
    questions.push_back({SignalKind::kEvicted, 1, Minutes(minutes)});
  }
  return questions;
}

}  // namespace cospot
