#include "sim_harness/studies/provider/parts/eviction_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/text/decimal.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 3> kNames{"lose", "restart", "move"};

/// A number in [least, most] that `text` consists of.
std::optional<double> parse_within(std::string_view text, double least, double most) {
  const std::optional<Decimal> number = Decimal::parse(text);
  if (!number || number->number() < least || number->number() > most) return std::nullopt;
  return number->number();
}

OnEviction read_on_eviction(const ConfigNode& node, std::string_view key) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (node.text == kNames.at(i)) return static_cast<OnEviction>(i);
  }
  throw_bad_value(node, key, "lose, restart or move");
}

StateSize read_state(const ConfigNode& node, std::string_view key) {
  constexpr double kMostPercent = 1e6, kMostMb = 1e9;
  const std::string_view text = node.text;
  if (text.ends_with('%')) {
    const auto percent = parse_within(text.substr(0, text.size() - 1), 0, kMostPercent);
    if (percent) return {.percent = *percent};
  } else if (text.ends_with("MB")) {
    const auto mb = parse_within(text.substr(0, text.size() - 2), 0, kMostMb);
    if (mb) return {.percent = 0, .fixed_mb = *mb};
  }
  throw_bad_value(node, key, "a share of the spot's memory such as 100%, or a size such as 512MB");
}

Bandwidth read_bandwidth(const ConfigNode& node, std::string_view key) {
  constexpr double kLeast = 1e-3, kMost = 1e9;
  const std::string_view text = node.text;
  const std::size_t colon = text.find(':');
  const auto save = parse_within(text.substr(0, colon), kLeast, kMost);
  const auto restore =
      colon == std::string_view::npos ? save : parse_within(text.substr(colon + 1), kLeast, kMost);
  if (save && restore) return {.save_mb_s = *save, .restore_mb_s = *restore};
  throw_bad_value(node, key,
                  "MB/s from 0.001 to 1e9, such as 100; or to save and to restore, such as "
                  "63.67:81.27");
}

}  // namespace

AxisValue axis_value(OnEviction what) {
  return axis_value(std::string(kNames.at(static_cast<std::size_t>(what))));
}
AxisValue axis_value(const StateSize& state) {
  return axis_value(state.fixed_mb > 0 || state.percent == 0 ? fmt::format("{}MB", state.fixed_mb)
                                                             : fmt::format("{}%", state.percent));
}
AxisValue axis_value(const Bandwidth& bandwidth) {
  const auto [save, restore] = bandwidth;
  return axis_value(save == restore ? fmt::format("{}", save)
                                    : fmt::format("{}:{}", save, restore));
}
Json setting_json(OnEviction what) { return axis_value(what).label; }
Json setting_json(const StateSize& state) { return axis_value(state).label; }
Json setting_json(const Bandwidth& bandwidth) { return axis_value(bandwidth).label; }

const Axis<EvictionKeys, OnEviction> kOnEvictionAxis{
    .name = "on_eviction",
    .meaning = "what becomes of an evicted spot's work: `lose`, `restart` or `move`",
    .values = &EvictionKeys::on_evictions,
    .read = read_on_eviction};

const Axis<EvictionKeys, StateSize> kStateAxis{
    .name = "state_size",
    .meaning = "that an evicted spot moves: a share of its memory_mb, or a size",
    .values = &EvictionKeys::states,
    .read = read_state};

const Axis<EvictionKeys, Bandwidth> kBandwidthAxis{
    .name = "bandwidth_mb_s",
    .unit = "MB/s",
    .meaning = "at which a state is saved and restored; with a colon: each",
    .values = &EvictionKeys::bandwidths,
    .read = read_bandwidth};

}  // namespace cospot
