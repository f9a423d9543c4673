#include "sim_harness/prices/price_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/model/revenue.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"

namespace cospot {
namespace {

constexpr std::string_view kPriceExpected = "a price from 0";

std::optional<double> parse_price(std::string_view text) {
  double price = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, price);
  // Written so that NaN fails it.
  if (error != std::errc() || stop != end || !(price >= 0 && price <= 1e12)) return std::nullopt;
  return price;
}

constexpr std::array<std::string_view, 4> kColumns{"vcpus", "memory_mb", "on_demand", "spot"};

/// Where a table has its columns.
struct FlavorColumns {
  std::array<std::size_t, kColumns.size()> required{};
  std::optional<std::size_t> economy{};
  std::optional<std::size_t> currency{};
};

FlavorColumns find_columns(const LineReader& reader, const std::vector<std::string_view>& names) {
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  };
  FlavorColumns columns{.economy = find("economy"), .currency = find("currency")};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const std::optional<std::size_t> position = find(kColumns[i]);
    if (!position) {
      reader.fail(fmt::format("the column '{}' is missing, expected {}", kColumns[i],
                              fmt::join(kColumns, ",")));
    }
    columns.required[i] = *position;
  }
  return columns;
}

FlavorPrice read_flavor(const LineReader& reader, const std::vector<std::string_view>& fields,
                        const FlavorColumns& columns) {
  const auto read = [&](std::string_view name, std::size_t position, bool is_amount) {
    const std::optional<double> number = parse_price(fields[position]);
    if (!number ||
        (is_amount && (*number != std::floor(*number) || *number > kMaxResourceAmount))) {
      reader.fail(fmt::format("{} is {}, expected {}", name, quoted_excerpt(fields[position]),
                              is_amount ? "a whole number" : kPriceExpected));
    }
    return *number;
  };
  std::array<double, kColumns.size()> numbers{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    numbers[i] = read(kColumns[i], columns.required[i], i < 2);
  }
  FlavorPrice flavor{.vcpus = static_cast<ResourceAmount>(numbers[0]),
                     .memory_mb = static_cast<ResourceAmount>(numbers[1]),
                     .on_demand = numbers[2],
                     .spot = numbers[3]};
  if (columns.economy) flavor.economy = read("economy", *columns.economy, false);
  return flavor;
}

PriceList read_flavors(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next(line)) {
    throw WorkloadError(fmt::format("{}:1: the file is empty, expected a header line with {}",
                                    file.string(), fmt::join(kColumns, ",")));
  }
  std::vector<std::string_view> names;
  split_fields(line, names);
  const FlavorColumns columns = find_columns(reader, names);
  const std::size_t count = names.size();
  PriceList list{.source = file.string()};
  std::map<std::pair<ResourceAmount, ResourceAmount>, std::size_t> lines;
  std::vector<std::string_view> fields;
  while (reader.next(line)) {
    split_fields(line, fields);
    if (fields.size() != count) {
      reader.fail(fmt::format("{} fields, expected {}", fields.size(), count));
    }
    const FlavorPrice flavor = read_flavor(reader, fields, columns);
    const auto [first, is_new] =
        lines.try_emplace({flavor.vcpus, flavor.memory_mb}, reader.line_number());
    if (!is_new) {
      reader.fail(fmt::format("the flavor {},{} stands on line {} too, expected one line for it",
                              flavor.vcpus, flavor.memory_mb, first->second));
    }
    if (columns.currency) {
      const std::string_view currency = fields[*columns.currency];
      if (!list.flavors.empty() && currency != list.currency) {
        reader.fail(fmt::format("currency is {}, expected {} as in the lines before",
                                quoted_excerpt(currency), quoted_excerpt(list.currency)));
      }
      list.currency = currency;
    }
    list.flavors.push_back(flavor);
  }
  if (list.flavors.empty()) reader.fail("the table ends here, expected a line for each flavor");
  return list;
}

/// What instances of one flavor are asked for inside the window.
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
  FlavorUse money;  // for an hour where the use is in seconds
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
    money.economy +=
        use.economy / flavor.first * price->second.economy.value_or(price->second.on_demand);
  }
  require_all(missing, source);
  const bool has_economy = std::ranges::any_of(
      flavors, [](const FlavorPrice& flavor) { return flavor.economy.has_value(); });
  const auto mean = [](double of, double over) { return over > 0 ? of / over : 0; };
  return {mean(money.vms, seconds.vms), mean(money.spots, seconds.spots),
          has_economy ? std::optional(mean(money.economy, seconds.economy)) : std::nullopt};
}

std::vector<std::string> PriceList::warnings() const {
  constexpr std::string_view kQuestion =
      "a spot's price is above the one on demand ({} > {}{}): nobody would buy it; are the two "
      "mixed up?";
  if (flavors.empty()) {
    if (vcpu_hour.spot <= vcpu_hour.on_demand) return {};
    return {fmt::format(fmt::runtime("--price: " + std::string(kQuestion)), vcpu_hour.spot,
                        vcpu_hour.on_demand, "")};
  }
  for (const FlavorPrice& flavor : flavors) {
    if (flavor.spot <= flavor.on_demand) continue;
    return {fmt::format(fmt::runtime(source + ": " + std::string(kQuestion)), flavor.spot,
                        flavor.on_demand,
                        fmt::format(", flavor {},{}", flavor.vcpus, flavor.memory_mb))};
  }
  return {};
}

PriceList read_flavor_prices(const std::filesystem::path& file) { return read_flavors(file); }

namespace {

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

}  // namespace

std::optional<PriceList> read_price_list(const std::vector<std::string>& texts) {
  if (texts.empty()) return std::nullopt;
  const std::vector<std::string> assignments = assignments_of(texts);
  if (assignments.size() == 1 && assignments.front().find('=') == std::string::npos) {
    return read_flavor_prices(assignments.front());
  }
  PriceList list;
  std::map<std::string, std::optional<double>, std::less<>> prices{
      {"on-demand", {}}, {"spot", {}}, {"economy", {}}};
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto price = prices.find(name);
    if (equals == std::string::npos || (price == prices.end() && name != "currency")) {
      throw ConfigError(
          fmt::format("--price: found '{}', expected on-demand=PRICE and spot=PRICE of a "
                      "vCPU-hour, economy=PRICE "
                      "and currency=NAME if wanted, or one CSV file with {}",
                      text, fmt::join(kColumns, ",")));
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
  for (const char* name : {"on-demand", "spot"}) {
    if (prices.find(name)->second) continue;
    throw ConfigError(fmt::format("--price {}=PRICE is missing, expected both prices", name));
  }
  list.vcpu_hour = {*prices["on-demand"], *prices["spot"], prices["economy"]};
  return list;
}

}  // namespace cospot
