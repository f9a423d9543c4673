#include "sim_harness/studies/broker/market_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/customer/broker/bid_strategy.hpp"
#include "sim_harness/data/markets/eviction_availability.hpp"
#include "sim_harness/data/markets/price_files.hpp"

namespace cospot {
namespace {

constexpr std::string_view kKey = "market";

MicroUsd read_usd(const ConfigNode& node, std::string_view key) {
  return std::max<MicroUsd>(
      1, std::llround(read_number(node, key, 1e-6, 1e5) * static_cast<double>(kUsd)));
}

Json usd_json(MicroUsd amount) { return json_of(usd(amount)); }

InstanceType read_type(const ConfigEntry& entry) {
  static constexpr std::array<std::string_view, 3> kKeys{"ecu", "memory_mb", "on_demand"};
  require_known_keys(entry.value, "types." + entry.key, kKeys);
  const auto key = [&entry](const char* name) -> const ConfigNode& {
    return require_key(entry.value, "types." + entry.key, name);
  };
  InstanceType type{.name = entry.key};
  type.ecu = static_cast<std::int32_t>(read_integer(key("ecu"), "ecu", 1, 100'000));
  type.memory_mb =
      static_cast<std::int32_t>(read_integer(key("memory_mb"), "memory_mb", 1, 100'000'000));
  type.on_demand_price = read_usd(key("on_demand"), "on_demand");
  return type;
}

/// Reads the types: those of 2011, changed and extended by the study file.
std::vector<InstanceType> read_types(const ConfigNode* node) {
  std::vector<InstanceType> types = types_of_2011();
  if (node == nullptr) return types;
  if (node->kind != ConfigNode::Kind::kMapping) throw_bad_value(*node, "types", "a mapping");
  for (const ConfigEntry& entry : node->entries) {
    const auto known = std::find_if(types.begin(), types.end(),
                                    [&entry](const auto& type) { return type.name == entry.key; });
    if (known != types.end()) {
      *known = read_type(entry);
    } else {
      types.push_back(read_type(entry));
    }
  }
  return types;
}

const InstanceType& find_type(const MarketSpec& spec, const std::string& name,
                              const std::string& where) {
  std::vector<std::string> names;
  for (const InstanceType& type : spec.types) {
    if (type.name == name) return type;
    names.push_back(type.name);
  }
  throw ConfigError(fmt::format(
      "{}: unknown instance type '{}'; valid names: {}; others are described under the key types",
      where, name, fmt::join(names, ", ")));
}

/// True for a CSV of availability, which may have prices; its ticks are ours to choose.
bool may_state_price(const MarketFile& file) {
  return file.kind == MarketFile::Kind::kAvailability && is_availability_csv(file.file);
}

MarketFile read_file(const ConfigNode& node, const MarketSpec& spec,
                     const std::filesystem::path& folder) {
  static constexpr std::array<std::string_view, 8> kKeys{
      "type", "os", "datacenter", "prices", "availability", "events", "price", "gap_seconds"};
  require_known_keys(node, kKey, kKeys);
  MarketFile file;
  const ConfigNode* path = nullptr;
  int paths = 0;
  for (const auto& [key, kind] : {std::pair{"prices", MarketFile::Kind::kPrices},
                                  std::pair{"availability", MarketFile::Kind::kAvailability},
                                  std::pair{"events", MarketFile::Kind::kEvents}}) {
    if (const ConfigNode* found = node.find(key)) {
      path = found;
      file.kind = kind;
      ++paths;
    }
  }
  if (paths != 1) throw_bad_value(node, kKey, "one of the keys prices, availability, events");
  try {
    const std::vector<ExpandedPath> found = expand_path(read_text(*path, kKey), folder);
    if (found.size() != 1) throw ConfigError("expected one file");
    file.file = found.front().file;
    file.label = found.front().label;
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", key_place(*path, kKey), error.what()));
  }
  if (const ConfigNode* type = node.find("type")) {
    file.type = read_label(*type, "type");
    (void)find_type(spec, file.type, type->where);
  }
  if (const ConfigNode* os = node.find("os")) file.os = read_label(*os, "os");
  if (const ConfigNode* datacenter = node.find("datacenter")) {
    file.datacenter = read_label(*datacenter, "datacenter");
  }
  const bool is_json = file.file.string().find(".json") != std::string::npos;
  if (file.kind != MarketFile::Kind::kPrices || !is_json) {
    (void)require_key(node, kKey, "type");
    (void)require_key(node, kKey, "datacenter");
  }
  if (file.kind != MarketFile::Kind::kPrices && !may_state_price(file)) {
    (void)require_key(node, kKey, "price");
  }
  const ConfigNode* price = node.find("price");
  if (price != nullptr && file.kind != MarketFile::Kind::kPrices) {
    file.price = read_usd(*price, "price");
  }
  if (const ConfigNode* gap = node.find("gap_seconds")) {
    file.gap_seconds = read_number(*gap, "gap_seconds", 1, 86'400);
  }
  return file;
}

void read_files(const ConfigNode& list, MarketSpec& spec, const std::filesystem::path& folder) {
  for (const ConfigNode* item : read_list(list, kKey)) {
    spec.files.push_back(read_file(*item, spec, folder));
  }
}

void read_synthetic(const ConfigNode& node, MarketSpec& spec) {
  const std::string name = read_text(*node.find("synthetic"), "synthetic");
  if (name != kSyntheticMarketName) {
    throw_bad_value(*node.find("synthetic"), "synthetic", kSyntheticMarketName);
  }
  SyntheticMarket& market = spec.synthetic;
  if (const ConfigNode* seed = node.find("seed")) {
    market.seed = static_cast<std::uint64_t>(
        read_integer(*seed, "seed", 0, std::numeric_limits<std::int64_t>::max()));
  }
  const auto number = [&node](const char* key, double& value, double least, double most) {
    if (const ConfigNode* found = node.find(key)) value = read_number(*found, key, least, most);
  };
  number("days", market.days, 8, 3650);
  number("floor", market.floor, 0.01, 1);
  number("band", market.band, 0, 1);
  number("change_minutes", market.change_minutes, 1, 100'000);
  number("spikes_per_100_days", market.spikes_per_100_days, 0, 10'000);
  number("rises_per_day", market.rises_per_day, 0, 100);
  number("regime_days", market.regime_days, 0.1, 3650);
  number("regime_swing", market.regime_swing, 0, 0.9);
  number("correlation", market.correlation, 0, 1);
  if (const ConfigNode* zones = node.find("zones")) {
    market.zones = static_cast<std::int32_t>(read_integer(*zones, "zones", 1, 26));
  }
  if (spec.label.empty()) spec.label = fmt::format("{}-{}", name, market.seed);
}

MarketSpec read_spec(const ConfigNode& node, const std::vector<InstanceType>& types,
                     const std::filesystem::path& folder) {
  static constexpr std::array<std::string_view, 14> kKeys{
      "label",         "markets",     "synthetic",    "seed",           "days",
      "zones",         "floor",       "band",         "change_minutes", "spikes_per_100_days",
      "rises_per_day", "regime_days", "regime_swing", "correlation"};
  require_known_keys(node, kKey, kKeys);
  MarketSpec spec{.types = types};
  if (const ConfigNode* label = node.find("label")) spec.label = read_label(*label, "label");
  const ConfigNode* markets = node.find("markets");
  if ((markets != nullptr) == (node.find("synthetic") != nullptr)) {
    throw_bad_value(node, kKey, "one of the keys markets, synthetic");
  }
  if (markets == nullptr) {
    read_synthetic(node, spec);
  } else {
    if (spec.label.empty()) (void)require_key(node, kKey, "label");
    read_files(*markets, spec, folder);
  }
  return spec;
}

bool is_file(const ConfigNode& node) {
  return node.find("prices") != nullptr || node.find("availability") != nullptr ||
         node.find("events") != nullptr;
}

void add_prices(MarketSet& set, const MarketSpec& spec, const MarketFile& file) {
  if (file.file.string().find(".json") == std::string::npos) {
    set.add(find_type(spec, file.type, file.label), file.os, file.datacenter,
            PriceSeries(read_price_csv(file.file)));
    return;
  }
  bool any = false;
  for (Ec2Prices& prices : read_ec2_prices(file.file)) {
    if (!file.type.empty() && prices.type != file.type) continue;
    if (!file.datacenter.empty() && prices.datacenter != file.datacenter) continue;
    set.add(find_type(spec, prices.type, file.label), prices.os, prices.datacenter,
            PriceSeries(std::move(prices.changes), prices.end));
    any = true;
  }
  if (!any) {
    throw ConfigError(fmt::format("{}: has no prices of type '{}' in '{}'", file.label, file.type,
                                  file.datacenter));
  }
}

/// The price that the study file states, or else the market's file.
MicroUsd price_of(const MarketFile& file, const AvailabilityTrace& trace) {
  if (file.price > 0) return file.price;
  if (!trace.spot_price) {
    throw ConfigError(
        fmt::format("{}: states no price, expected a column price, or the key price of its market",
                    file.label));
  }
  return std::llround(*trace.spot_price * static_cast<double>(kUsd));
}

Json file_json(const MarketFile& file) {
  constexpr std::array kKinds{"prices", "availability", "events"};
  Json json{{kKinds[static_cast<std::size_t>(file.kind)], file.label},
            {"type", file.type},
            {"os", file.os},
            {"datacenter", file.datacenter}};
  if (file.price > 0) json["price"] = usd_json(file.price);
  if (file.kind == MarketFile::Kind::kEvents || may_state_price(file)) {
    json["gap_seconds"] = json_of(file.gap_seconds);
  }
  return json;
}

}  // namespace

std::vector<MarketSpec> read_market_specs(const ConfigNode& node, const ConfigNode* types,
                                          const std::filesystem::path& folder) {
  const std::vector<InstanceType> known = read_types(types);
  const std::vector<const ConfigNode*> items = read_list(node, kKey);
  if (is_file(*items.front())) {
    MarketSpec spec{.label = "markets", .types = known};
    read_files(node, spec, folder);
    return {spec};
  }
  std::vector<MarketSpec> specs;
  for (const ConfigNode* item : items) {
    MarketSpec spec = read_spec(*item, known, folder);
    for (const MarketSpec& other : specs) {
      if (other.label != spec.label) continue;
      throw ConfigError(fmt::format("{}: duplicate value '{}'; a label tells them apart",
                                    key_place(*item, kKey), spec.label));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

Json setting_json(const MarketSpec& spec) {
  Json json{{"label", spec.label}};
  if (spec.files.empty()) {
    const SyntheticMarket& market = spec.synthetic;
    json.update({{"synthetic", kSyntheticMarketName},
                 {"seed", market.seed},
                 {"days", json_of(market.days)},
                 {"zones", market.zones},
                 {"floor", json_of(market.floor)},
                 {"band", json_of(market.band)},
                 {"change_minutes", json_of(market.change_minutes)},
                 {"spikes_per_100_days", json_of(market.spikes_per_100_days)},
                 {"rises_per_day", json_of(market.rises_per_day)},
                 {"regime_days", json_of(market.regime_days)},
                 {"regime_swing", json_of(market.regime_swing)},
                 {"correlation", json_of(market.correlation)}});
  } else {
    json["markets"] = json_list_of(spec.files, file_json);
  }
  json["types"] = json_list_of(spec.types, [](const InstanceType& type) {
    return Json{{"name", type.name},
                {"ecu", type.ecu},
                {"memory_mb", type.memory_mb},
                {"on_demand", usd_json(type.on_demand_price)}};
  });
  return json;
}

AxisValue axis_value(const MarketSpec& spec) {
  return {spec.label, spec.label, compact_json(setting_json(spec))};
}

MarketSet load_markets(const MarketSpec& spec, std::vector<InputRecord>& inputs) {
  if (spec.files.empty()) return make_markets(spec.synthetic, spec.types);
  MarketSet set;
  for (const MarketFile& file : spec.files) {
    if (file.kind == MarketFile::Kind::kPrices) {
      add_prices(set, spec, file);
    } else {
      const SimTime tick(std::llround(file.gap_seconds * 1e6));
      const AvailabilityTrace trace = file.kind == MarketFile::Kind::kEvents
                                          ? read_eviction_availability(file.file, tick)
                                          : read_availability_trace(file.file, tick, file.type);
      set.add(find_type(spec, file.type, file.label), file.os, file.datacenter,
              prices_of(trace, price_of(file, trace)));
      set.markets.back().takes_bids = false;
    }
    inputs.push_back({.label = spec.label + ":" + file.label,
                      .sha256 = sha256_hex(read_stored_file(file.file)),
                      .name = file.label});
  }
  return set;
}

}  // namespace cospot
