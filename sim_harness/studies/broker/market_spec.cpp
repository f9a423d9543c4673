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
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/customer/broker/bid_strategy.hpp"
#include "sim_harness/data/markets/eviction_availability.hpp"
#include "sim_harness/data/markets/price_files.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"

namespace cospot {
namespace {

constexpr std::string_view kKey = "market";

MicroUsd read_usd(const ConfigNode& node, std::string_view key) {
  return std::max<MicroUsd>(
      1, std::llround(read_number(node, key, 1e-6, 1e5) * static_cast<double>(kUsd)));
}

Json usd_json(MicroUsd amount) { return json_of(usd(amount)); }

const Fields<InstanceType>& type_fields() {
  using T = InstanceType;
  static const Fields<T> fields{
      required(number_field("ecu", &T::ecu, 1, 100'000)),
      required(number_field("memory_mb", &T::memory_mb, 1, 100'000'000)),
      {.key = "on_demand",
       .read = [](const auto& value, auto name,
                  T& type) { type.on_demand_price = read_usd(value, name); },
       .write = [](const T& type) { return usd_json(type.on_demand_price); },
       .is_required = true}};
  return fields;
}

InstanceType read_type(const ConfigEntry& entry) {
  const std::string subject = "types." + entry.key;
  require_known_keys(entry.value, subject, type_fields().keys());
  InstanceType type{.name = entry.key};
  type_fields().read(entry.value, subject, type);
  return type;
}

/// Reads types: those known before, changed and extended.
std::vector<InstanceType> read_types(const ConfigNode* node, std::vector<InstanceType> types) {
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
  const ExpandedPath found = read_path(*path, kKey, folder);
  file.file = found.file;
  file.label = found.label;
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

const Fields<SyntheticMarket>& synthetic_fields() {
  using M = SyntheticMarket;
  static const Fields<M> fields{
      number_field("seed", &M::seed, 0, std::numeric_limits<std::int64_t>::max()),
      number_field("days", &M::days, 8, 3650),
      number_field("zones", &M::zones, 1, 26),
      number_field("floor", &M::floor, 0.01, 1),
      number_field("band", &M::band, 0, 1),
      number_field("change_minutes", &M::change_minutes, 1, 100'000),
      number_field("spikes_per_100_days", &M::spikes_per_100_days, 0, 10'000),
      number_field("rises_per_day", &M::rises_per_day, 0, 100),
      number_field("regime_days", &M::regime_days, 0.1, 3650),
      number_field("regime_swing", &M::regime_swing, 0, 0.9),
      number_field("correlation", &M::correlation, 0, 1)};
  return fields;
}

void read_synthetic(const ConfigNode& node, MarketSpec& spec) {
  const std::string name = read_text(*node.find("synthetic"), "synthetic");
  if (name != kSyntheticMarketName) {
    throw_bad_value(*node.find("synthetic"), "synthetic", kSyntheticMarketName);
  }
  synthetic_fields().read(node, kKey, spec.synthetic);
  if (spec.label.empty()) spec.label = fmt::format("{}-{}", name, spec.synthetic.seed);
}

MarketSpec read_spec(const ConfigNode& node, const std::vector<InstanceType>& types,
                     const std::filesystem::path& folder) {
  require_known_keys(node, kKey,
                     synthetic_fields().keys({"label", "markets", "synthetic"}, {"types"}));
  MarketSpec spec{.types = read_types(node.find("types"), types)};
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
  Json json{{kKinds[static_cast<std::size_t>(file.kind)], file.label}, {"os", file.os}};
  if (!file.type.empty()) json["type"] = file.type;
  if (!file.datacenter.empty()) json["datacenter"] = file.datacenter;
  if (file.price > 0) json["price"] = usd_json(file.price);
  if (file.kind == MarketFile::Kind::kEvents || may_state_price(file)) {
    json["gap_seconds"] = json_of(file.gap_seconds);
  }
  return json;
}

}  // namespace

std::vector<MarketSpec> read_market_specs(const ConfigNode& node, const ConfigNode* types,
                                          const std::filesystem::path& folder) {
  const std::vector<InstanceType> known = read_types(types, types_of_2011());
  const std::vector<const ConfigNode*> items = read_list(node, kKey);
  if (is_file(*items.front())) {
    MarketSpec spec{.label = "markets", .types = known};
    read_files(node, spec, folder);
    return {spec};
  }
  std::vector<MarketSpec> specs;
  Labels labels;
  for (const ConfigNode* item : items) {
    MarketSpec spec = read_spec(*item, known, folder);
    labels.add(spec.label, *item, kKey);
    specs.push_back(std::move(spec));
  }
  return specs;
}

Json setting_json(const MarketSpec& spec) {
  Json json{{"label", spec.label}};
  if (spec.files.empty()) {
    json["synthetic"] = kSyntheticMarketName;
    synthetic_fields().write(spec.synthetic, json);
  } else {
    json["markets"] = json_list_of(spec.files, file_json);
  }
  for (const InstanceType& type : spec.types) json["types"][type.name] = type_fields().json(type);
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
