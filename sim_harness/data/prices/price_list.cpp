#include "sim_harness/data/prices/price_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/model/revenue.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::string_view kPriceExpected = "a price of 0 or more";

constexpr double kMostPrice = 1e12;

std::optional<double> parse_price(std::string_view text) {
  const std::optional<double> price = parse_number(text);
  return price && *price >= 0 && *price <= kMostPrice ? price : std::nullopt;
}

enum Column : std::size_t { kVcpus, kMemory, kOnDemand, kSpot, kEconomy, kCurrency };
constexpr std::array<TableColumn, 6> kColumns{
    {{"vcpus"}, {"memory_mb"}, {"on_demand"}, {"spot"}, {"economy", false}, {"currency", false}}};
constexpr TableFormat kFormat{.columns = kColumns, .rows = "flavors", .has_other_columns = true};

void read_currency(const TableReader& table, PriceList& list) {
  const std::string_view currency = table.plain(kCurrency);
  if (!list.flavors.empty() && currency != list.currency) {
    table.refuse(kCurrency, fmt::format("{} as in the rows before", quoted_excerpt(list.currency)));
  }
  list.currency = currency;
}

PriceList read_flavors(const std::filesystem::path& file) {
  TableReader table(file, kFormat);
  PriceList list{.source = file.string()};
  std::map<std::pair<ResourceAmount, ResourceAmount>, std::size_t> lines;
  const auto price = [&](Column column) {
    return table.value(column, parse_price, kPriceExpected);
  };
  while (table.next()) {
    FlavorPrice flavor{.vcpus = table.amount(kVcpus, 1),
                       .memory_mb = table.amount(kMemory, 0),
                       .on_demand = price(kOnDemand),
                       .spot = price(kSpot)};
    if (table.has(kEconomy)) flavor.economy = price(kEconomy);
    const auto [first, is_new] =
        lines.try_emplace({flavor.vcpus, flavor.memory_mb}, table.line_number());
    if (!is_new) {
      table.fail(fmt::format("the flavor {},{} stands on line {} too, expected one line for it",
                             flavor.vcpus, flavor.memory_mb, first->second));
    }
    if (table.has(kCurrency)) read_currency(table, list);
    list.flavors.push_back(flavor);
  }
  return list;
}

/// The requests for one flavor inside the window.
struct FlavorUse {
  double vms = 0;  ///< vcpu-seconds
  double spots = 0;
  double economy = 0;
};
using FlavorUses = std::map<std::pair<ResourceAmount, ResourceAmount>, FlavorUse>;

FlavorUses uses_of(const Workload& workload) {
  FlavorUses uses;
  for (const WorkloadRow& row : workload.rows) {
    FlavorUse& use = uses[{row.resources.vcpus, row.resources.memory_mb}];
    (row.is_spot()                                   ? use.spots
     : row.instance_class == InstanceClass::kEconomy ? use.economy
                                                     : use.vms) +=
        vcpu_seconds(requested_revenue(row, workload.window));
  }
  return uses;
}

/// All amounts of money would be wrong with it: nobody buys a spot for more than a VM.
void refuse_doubtful(const PriceList& list) {
  const auto refuse = [&list](const auto& prices, const std::string& flavor) {
    const bool is_spot = prices.spot > prices.on_demand;
    const double price = is_spot ? prices.spot : prices.economy.value_or(0);
    if (price <= prices.on_demand) return;
    throw ConfigError(fmt::format(
        "{}: {} price is above the one on demand ({} > {}{}), and nobody would buy it; expected "
        "at most the price on demand: are the two swapped?",
        list.flavors.empty() ? "--price" : list.source,
        is_spot ? "a spot's" : "an Economy instance's", price, prices.on_demand, flavor));
  };
  if (list.flavors.empty()) refuse(list.vcpu_hour, "");
  for (const FlavorPrice& flavor : list.flavors) {
    refuse(flavor, fmt::format(", flavor {},{}", flavor.vcpus, flavor.memory_mb));
  }
}

void require_all(const std::vector<std::string>& missing, std::string_view source) {
  constexpr std::size_t kShown = 5;
  if (missing.empty()) return;
  const std::vector<std::string> shown(
      missing.begin(),
      missing.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, missing.size())));
  throw ConfigError(fmt::format(
      "{}: no price for {} of the workload's flavors, expected one for each; vcpus,memory_mb: {}{}",
      source, missing.size(), fmt::join(shown, "; "),
      shown.size() < missing.size() ? "; ..." : ""));
}

}  // namespace

VcpuHourPrices PriceList::of(const Workload& workload, const VcpusUnit& unit) const {
  if (flavors.empty()) return vcpu_hour.in(unit);
  std::map<std::pair<ResourceAmount, ResourceAmount>, FlavorPrice> prices;
  for (const FlavorPrice& flavor : flavors) prices[{flavor.vcpus, flavor.memory_mb}] = flavor;
  FlavorUse seconds;
  FlavorUse money;       // for an hour where the use is in seconds
  FlavorUse as_economy;  // the same if all of it were Economy instances
  std::vector<std::string> missing;
  for (const auto& [flavor, use] : uses_of(workload)) {
    const auto price = prices.find(flavor);
    if (price == prices.end()) {
      missing.push_back(fmt::format("{},{}", flavor.first, flavor.second));
      continue;
    }
    seconds.vms += use.vms;
    seconds.spots += use.spots;
    // A flavor's hour is that of all its vcpus.
    money.vms += use.vms / flavor.first * price->second.on_demand;
    money.spots += use.spots / flavor.first * price->second.spot;
    seconds.economy += use.economy;
    const double economy = price->second.economy.value_or(price->second.on_demand) / flavor.first;
    as_economy.vms += use.vms * economy;
    as_economy.spots += use.spots * economy;
    as_economy.economy += use.economy * economy;
  }
  require_all(missing, source);
  const bool has_economy = std::ranges::any_of(
      flavors, [](const FlavorPrice& flavor) { return flavor.economy.has_value(); });
  const auto mean = [](double of, double over) { return over > 0 ? of / over : 0; };
  const double economy = seconds.economy > 0 ? mean(as_economy.economy, seconds.economy)
                         : seconds.spots > 0 ? mean(as_economy.spots, seconds.spots)
                                             : mean(as_economy.vms, seconds.vms);
  return {mean(money.vms, seconds.vms), mean(money.spots, seconds.spots),
          has_economy ? std::optional(economy) : std::nullopt};
}

VcpuHourPrices PriceList::of_vcpu_hour(const Workload& workload, const VcpusUnit& unit) const {
  return of(workload, unit).in({.vcpus = 1 / unit.vcpus});
}

PriceList read_flavor_prices(const std::filesystem::path& file) {
  PriceList list = read_flavors(file);
  refuse_doubtful(list);
  return list;
}

namespace {

/// Tells whether a text names a table of prices: it is no assignment and no number.
bool is_table(const std::string& text) {
  return text.ends_with(".csv") ||
         (text.find('=') == std::string::npos && !parse_number(text.substr(0, text.find(','))));
}

bool is_file(const std::string& text) { return is_yaml_file(text) || is_table(text); }

/// `a=1,b=2` and `c=3` in one list.
std::vector<std::string> assignments_of(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    if (text.find('=') == std::string::npos) {
      all.push_back(text);
      continue;
    }
    std::vector<std::string_view> fields;
    split_fields(text, fields);
    all.insert(all.end(), fields.begin(), fields.end());
  }
  return all;
}

/// The same of a mapping, `on-demand: 0.04`.
std::vector<std::string> assignments_in(const ConfigNode& mapping, const std::string& place) {
  std::vector<std::string> all;
  for (const ConfigEntry& entry : mapping.entries) {
    all.push_back(entry.key + "=" + entry.value.text);
  }
  if (all.empty()) {
    throw ConfigError(place + ": expected a mapping of prices: on-demand: 0.04, spot: 0.012");
  }
  return all;
}

}  // namespace

std::optional<PriceList> read_price_list(const std::vector<std::string>& texts) {
  if (texts.empty()) return std::nullopt;
  std::vector<std::string> given = texts;
  // Next to a file only the price of a host may stand, for which a table has no column.
  const auto last = std::stable_partition(given.begin(), given.end(), [](const std::string& text) {
    return text.starts_with("host=") && text.find(',') == std::string::npos;
  });
  const bool is_alone = given.end() - last == 1;
  PriceList list;
  std::vector<std::string> assignments;
  if (is_alone && is_yaml_file(*last)) {
    assignments = assignments_in(read_yaml_file(*last), *last);
  } else if (is_alone && is_table(*last)) {
    list = read_flavor_prices(*last);
  }
  if (!assignments.empty() || !list.flavors.empty()) given.pop_back();
  for (std::string& text : assignments_of(given)) assignments.push_back(std::move(text));
  std::map<std::string, std::optional<double>, std::less<>> prices{
      {"on-demand", {}}, {"spot", {}}, {"economy", {}}, {"host", {}}};
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto price = prices.find(name);
    if (equals == std::string::npos || (price == prices.end() && name != "currency")) {
      throw ConfigError(
          fmt::format("--price: found '{}', expected on-demand=PRICE and spot=PRICE of a "
                      "vCPU-hour, economy=PRICE, "
                      "host=PRICE of a host's hour and currency=NAME if wanted, or one CSV file "
                      "with vcpus,memory_mb,on_demand,spot[,economy,currency]",
                      text));
    }
    const std::string value = text.substr(equals + 1);
    if (name == "currency" ? !list.currency.empty() : price->second.has_value()) {
      throw ConfigError(fmt::format("--price {} comes twice", name));
    }
    if (name == "currency") {
      list.currency = value;
      continue;
    }
    price->second = parse_price(value);
    if (!price->second) {
      throw ConfigError(fmt::format("--price {}: expected {}", text, kPriceExpected));
    }
  }
  list.host = prices["host"];
  if (!list.flavors.empty()) return list;
  for (const char* name : {"on-demand", "spot"}) {
    if (prices.find(name)->second) continue;
    throw ConfigError(fmt::format("--price {}=PRICE is missing, expected both prices", name));
  }
  list.vcpu_hour = {*prices["on-demand"], *prices["spot"], prices["economy"]};
  refuse_doubtful(list);
  return list;
}

std::vector<std::string> read_price_key(const ConfigNode& root,
                                        const std::filesystem::path& folder) {
  const ConfigNode* key = root.find("prices");
  if (key == nullptr) return {};
  if (key->kind == ConfigNode::Kind::kMapping) {
    return assignments_in(*key, key_place(*key, "prices"));
  }
  std::vector<std::string> texts;
  for (const ConfigNode* item : read_list(*key, "prices")) {
    const std::string text = read_text(*item, "prices");
    texts.push_back(is_file(text) ? read_path(*item, "prices", folder).file.string() : text);
  }
  return texts;
}

std::string price_key_yaml(const std::vector<std::string>& texts,
                           const std::filesystem::path& folder) {
  if (texts.empty()) return {};
  const auto entry = [&](const std::string& text) {
    return yaml_text(is_file(text) ? relative_path(text, folder) : text);
  };
  std::vector<std::string> entries;
  if (std::ranges::any_of(texts, is_file)) {
    for (const std::string& text : texts) entries.push_back(entry(text));
    return texts.size() == 1 ? "prices: " + entries.front() + "\n"
                             : fmt::format("prices: [{}]\n", fmt::join(entries, ", "));
  }
  for (const std::string& text : assignments_of(texts)) {
    const std::size_t equals = text.find('=');
    const std::string value = text.substr(equals + 1);
    entries.push_back(text.substr(0, equals) + ": " +
                      (parse_number(value) ? value : yaml_text(value)));
  }
  return fmt::format("prices: {{{}}}\n", fmt::join(entries, ", "));
}

}  // namespace cospot
