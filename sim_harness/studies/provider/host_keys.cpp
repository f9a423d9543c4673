#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

// The keys `host` and `added_type` of study files.

namespace cospot {
namespace {

/// No cloud overcommits so much.
constexpr double kMostRatio = 1'000;

ResourceAmount read_amount(const ConfigNode& node, const char* key, std::int64_t least) {
  return static_cast<ResourceAmount>(read_integer(node, key, least, kMaxResourceAmount));
}

ResourceVector read_totals(const ConfigNode& node) {
  ResourceVector host;
  host.vcpus = read_amount(require_key(node, "host", "vcpus"), "host.vcpus", 1);
  host.memory_mb = read_amount(require_key(node, "host", "memory_mb"), "host.memory_mb", 1);
  if (const ConfigNode* disk = node.find("disk_gb")) {
    host.disk_gb = read_amount(*disk, "host.disk_gb", 0);
  }
  return host;
}

/// The usable part of `total`, as placement counts it: (total - reserved) x ratio, rounded down.
ResourceAmount usable(const ConfigNode& node, const char* resource, ResourceAmount total,
                      const std::string& ratio_key, ResourceAmount least) {
  double ratio = 1;
  std::int64_t reserved = 0;
  if (const ConfigNode* value = node.find(ratio_key)) {
    ratio = read_number(*value, "host." + ratio_key, 0, kMostRatio);
  }
  const std::string reserved_key = fmt::format("reserved_{}", resource);
  if (const ConfigNode* value = node.find(reserved_key)) {
    reserved = read_integer(*value, "host." + reserved_key, 0, total);
  }
  const double amount = std::floor(static_cast<double>(total - reserved) * ratio);
  if (amount >= least && amount <= kMaxResourceAmount) return static_cast<ResourceAmount>(amount);
  throw ConfigError(
      fmt::format("{}: {} after what is reserved and the ratio is {}, expected {} to {}",
                  key_place(node, "host"), resource, amount, least, kMaxResourceAmount));
}

std::string read_plain_text(const ConfigNode& node, std::string_view key) {
  return std::string(read_label(node, key));
}

HostPlace read_place(const ConfigNode& node) {
  HostPlace place;
  if (const ConfigNode* zone = node.find("zone")) place.zone = read_plain_text(*zone, "host.zone");
  if (const ConfigNode* names = node.find("aggregates")) {
    for (const ConfigNode* name : read_list(*names, "host.aggregates")) {
      place.aggregates.push_back(read_plain_text(*name, "host.aggregates"));
    }
  }
  const ConfigNode* metadata = node.find("metadata");
  if (metadata == nullptr) return place;
  if (metadata->kind != ConfigNode::Kind::kMapping) {
    throw_bad_value(*metadata, "host.metadata", "a mapping of keys and values");
  }
  for (const ConfigEntry& entry : metadata->entries) {
    const std::string key = "host.metadata." + entry.key;
    for (const ConfigNode* value : read_list(entry.value, key)) {
      if (!is_label(read_text(*value, key))) {
        throw_bad_value(*value, key,
                        "a text without commas, quotes and control characters; several values as "
                        "a list, [a, b]");
      }
      place.metadata[entry.key].insert(value->text);
    }
  }
  return place;
}

HostKind read_kind(const ConfigNode& node, HostPlaces& places) {
  static constexpr std::array<std::string_view, 14> kKeys{"type",
                                                          "count",
                                                          "vcpus",
                                                          "memory_mb",
                                                          "disk_gb",
                                                          "cpu_allocation_ratio",
                                                          "ram_allocation_ratio",
                                                          "disk_allocation_ratio",
                                                          "reserved_vcpus",
                                                          "reserved_memory_mb",
                                                          "reserved_disk_gb",
                                                          "zone",
                                                          "aggregates",
                                                          "metadata"};
  require_known_keys(node, "host", kKeys);
  HostKind kind{.type = read_plain_text(require_key(node, "host", "type"), "host.type"),
                .count = static_cast<std::size_t>(read_integer(
                    require_key(node, "host", "count"), "host.count", 1, std::int64_t{kMaxHosts})),
                .total = read_totals(node)};
  kind.total = {usable(node, "vcpus", kind.total.vcpus, "cpu_allocation_ratio", 1),
                usable(node, "memory_mb", kind.total.memory_mb, "ram_allocation_ratio", 1),
                usable(node, "disk_gb", kind.total.disk_gb, "disk_allocation_ratio", 0)};
  kind.place = number_of_place(places, read_place(node));
  return kind;
}

/// `[64, 262144]`: vcpus, memory_mb and, if wanted, disk_gb.
bool is_list_of_amounts(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::kList &&
         (node.items.size() == 2 || node.items.size() == 3) &&
         std::ranges::all_of(node.items, [](const ConfigNode& item) {
           return item.kind == ConfigNode::Kind::kScalar && !item.quoted;
         });
}

ResourceVector read_amounts(const ConfigNode& node) {
  static constexpr std::array<std::string_view, 3> kNames{"vcpus", "memory_mb", "disk_gb"};
  ConfigNode named;
  named.kind = ConfigNode::Kind::kMapping;
  named.where = node.where;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    named.entries.push_back({std::string(kNames[i]), node.items[i].where, node.items[i]});
  }
  return read_totals(named);
}

/// `64,262144`, as the option --host has it, as a list; other values as they are.
ConfigNode with_amounts_listed(const ConfigNode& node) {
  const bool is_amounts = node.kind == ConfigNode::Kind::kScalar &&
                          node.text.find(',') != std::string::npos &&
                          node.text.find_first_not_of("0123456789, ") == std::string::npos;
  if (!is_amounts) return node;
  ConfigNode list;
  list.kind = ConfigNode::Kind::kList;
  list.where = node.where;
  for (std::string_view rest = node.text; !rest.empty();) {
    const std::string_view amount = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(amount.size() + 1, rest.size()));
    ConfigNode& item = list.items.emplace_back();
    item.kind = ConfigNode::Kind::kScalar;
    item.where = node.where;
    item.text = without_blanks(amount);
  }
  return list;
}

HostMix read_mix(const ConfigNode& given, const std::filesystem::path& folder) {
  const ConfigNode node = with_amounts_listed(given);
  if (node.text.ends_with(".csv") || node.text.ends_with(".csv.gz")) {
    const std::filesystem::path file = read_text(node, "host");
    return read_hosts_file(file.is_absolute() ? file : folder / file);
  }
  if (is_list_of_amounts(node)) return read_amounts(node);
  if (node.kind != ConfigNode::Kind::kList) {
    static constexpr std::array<std::string_view, 3> kKeys{"vcpus", "memory_mb", "disk_gb"};
    if (node.kind == ConfigNode::Kind::kScalar) {
      throw_bad_value(node, "host",
                      "VCPUS,MEMORY_MB[,DISK_GB], a mapping with the keys vcpus, memory_mb, "
                      "disk_gb, or a hosts file that ends in .csv or .csv.gz");
    }
    require_known_keys(node, "host", kKeys);
    return read_totals(node);
  }
  std::vector<HostKind> kinds;
  HostPlaces places;
  std::size_t count = 0;
  for (const ConfigNode* item : read_list(node, "host")) {
    HostKind kind = read_kind(*item, places);
    for (const HostKind& other : kinds) {
      if (other.type != kind.type || other.place != kind.place) continue;
      throw ConfigError(fmt::format("{}: the type '{}' comes twice in one place",
                                    key_place(*item, "host"), kind.type));
    }
    count += kind.count;
    if (count > kMaxHosts) {
      throw ConfigError(fmt::format("{}: {} hosts up to here, expected {} in all at most",
                                    key_place(*item, "host"), count, kMaxHosts));
    }
    kinds.push_back(std::move(kind));
  }
  return {std::move(kinds), std::move(places)};
}

}  // namespace

HostMix read_hosts(const ConfigNode& root, const std::filesystem::path& folder) {
  HostMix hosts = read_mix(require_key(root, "study", "host"), folder);
  if (const ConfigNode* type = root.find("added_type")) {
    try {
      hosts.add_only(read_plain_text(*type, "added_type"));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", type->where, error.what()));
    }
  }
  return hosts;
}

}  // namespace cospot
