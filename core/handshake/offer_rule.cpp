#include "core/handshake/offer_rule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/errors.hpp"
#include "core/parse_number.hpp"

namespace cospot {
namespace {

constexpr std::string_view kAdaptive = "adaptive:";
constexpr std::string_view kAdaptiveOfOld = "adaptive-";  // without names: adaptive-32-1-0.8-1
constexpr std::array<std::string_view, 4> kScheduleKeys{
    "at_low_load=", "at_high_load=", "from=", "to="};
constexpr std::string_view kEpsilon = "epsilon-";

/// The shortest decimal that reads back as the same number, never with an exponent.
std::string decimal(double value) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

void check_otn(std::string_view what, std::size_t otn) {
  if (otn >= 1 && otn <= OfferRule::kMaxOtn) return;
  throw ConfigError(std::string(what) + " is " + std::to_string(otn) + ", expected " +
                    (otn == 0 ? "at least 1" : "at most " + std::to_string(OfferRule::kMaxOtn)));
}

/// Smaller numbers would need an exponent in a label, and mean nothing here.
void check_fraction(std::string_view what, double value) {
  if (value == 0 || (value >= OfferRule::kLeastFraction && value <= 1)) return;
  throw ConfigError(std::string(what) + " is " + std::to_string(value) +
                    ", expected 0, or a fraction from 0.0001 to 1");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// "at_low_load=32:at_high_load=1:from=0.8:to=1" as its four numbers; none when a name is wrong.
std::vector<std::string_view> named_numbers(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != kScheduleKeys.size()) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].starts_with(kScheduleKeys[i])) return {};
    parts[i].remove_prefix(kScheduleKeys[i].size());
  }
  return parts;
}

std::string schedule_label(const OfferRule::Schedule& schedule) {
  return "adaptive:at_low_load=" + std::to_string(schedule.at_low_load) +
         ":at_high_load=" + std::to_string(schedule.at_high_load) +
         ":from=" + decimal(schedule.from) + ":to=" + decimal(schedule.to);
}

std::optional<OfferRule> parse_schedule(std::span<const std::string_view> parts) {
  if (parts.size() != kScheduleKeys.size()) return std::nullopt;
  const auto low = parse_integer<std::size_t>(parts[0]);
  const auto high = parse_integer<std::size_t>(parts[1]);
  const auto from = parse_number(parts[2]);
  const auto to = parse_number(parts[3]);
  if (!low || !high || !from || !to) return std::nullopt;
  return OfferRule::adaptive(
      {.at_low_load = *low, .at_high_load = *high, .from = *from, .to = *to});
}

}  // namespace

OfferRule::OfferRule(std::size_t otn) {
  check_otn("otn", otn);
  schedule_ = {.at_low_load = otn, .at_high_load = otn};
}

OfferRule OfferRule::adaptive(const Schedule& schedule) {
  check_otn("at_low_load", schedule.at_low_load);
  check_otn("at_high_load", schedule.at_high_load);
  check_fraction("from", schedule.from);
  check_fraction("to", schedule.to);
  if (schedule.from > schedule.to) {
    throw ConfigError("from is " + decimal(schedule.from) + ", expected at most to, which is " +
                      decimal(schedule.to));
  }
  OfferRule rule;
  rule.kind_ = Kind::kAdaptive;
  rule.schedule_ = schedule;
  return rule;
}

OfferRule OfferRule::within(double epsilon) {
  check_fraction("epsilon", epsilon);
  OfferRule rule;
  rule.kind_ = Kind::kEpsilon;
  rule.epsilon_ = epsilon;
  return rule;
}

std::string OfferRule::label() const {
  if (kind_ == Kind::kAdaptive) return schedule_label(schedule_);
  if (kind_ == Kind::kEpsilon) return std::string(kEpsilon) + decimal(epsilon_);
  return std::to_string(otn());
}

OfferRule OfferRule::parse(std::string_view label) {
  std::optional<OfferRule> rule;
  if (label.starts_with(kAdaptive)) {
    rule = parse_schedule(named_numbers(label.substr(kAdaptive.size())));
  } else if (label.starts_with(kAdaptiveOfOld)) {
    rule = parse_schedule(split(label.substr(kAdaptiveOfOld.size()), '-'));
  } else if (label.starts_with(kEpsilon)) {
    if (const auto epsilon = parse_number(label.substr(kEpsilon.size()))) {
      rule = within(*epsilon);
    }
  } else if (const auto otn = parse_integer<std::size_t>(label)) {
    rule = OfferRule(*otn);
  }
  if (rule) return *rule;
  throw ConfigError("found '" + std::string(label) +
                    "', expected an OTN such as 8, epsilon-0.05 or "
                    "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1");
}

std::size_t OfferRule::most_hosts(double vm_load) const {
  if (kind_ == Kind::kTopN) return schedule_.at_low_load;
  if (kind_ == Kind::kEpsilon) return kAllHosts;
  const auto low = static_cast<double>(schedule_.at_low_load);
  const auto high = static_cast<double>(schedule_.at_high_load);
  double part = vm_load >= schedule_.to ? 1 : 0;
  if (vm_load > schedule_.from && vm_load < schedule_.to) {
    part = (vm_load - schedule_.from) / (schedule_.to - schedule_.from);
  }
  return static_cast<std::size_t>(std::floor(low + (high - low) * part + 0.5));
}

}  // namespace cospot
