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

FlavorPrice read_flavor(const LineReader& reader, const std::vector<std::string_view>& fields,
                        const std::array<std::size_t, kColumns.size()>& positions) {
  std::array<double, kColumns.size()> numbers{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const std::string_view field = fields[positions[i]];
    const std::optional<double> number = parse_price(field);
    const bool is_amount = i < 2;
    if (!number ||
        (is_amount && (*number != std::floor(*number) || *number > kMaxResourceAmount))) {
      reader.fail(fmt::format("{} is {}, expected {}", kColumns[i], quoted_excerpt(field),
                              is_amount ? "a whole number" : kPriceExpected));
    }
    numbers[i] = *number;
  }
  return {.vcpus = static_cast<ResourceAmount>(numbers[0]),
          .memory_mb = static_cast<ResourceAmount>(numbers[1]),
          .on_demand = numbers[2],
          .spot = numbers[3]};
}

std::vector<FlavorPrice> read_flavors(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next(line)) {
    throw WorkloadError(fmt::format("{}:1: the file is empty, expected a header line with {}",
                                    file.string(), fmt::join(kColumns, ",")));
  }
  std::vector<std::string_view> names;
  split_fields(line, names);
  std::array<std::size_t, kColumns.size()> positions{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::ranges::find(names, kColumns[i]);
    if (found == names.end()) {
      reader.fail(fmt::format("the column '{}' is missing, expected {}", kColumns[i],
                              fmt::join(kColumns, ",")));
    }
    positions[i] = static_cast<std::size_t>(found - names.begin());
  }
  const std::size_t count = names.size();
  std::vector<FlavorPrice> flavors;
  std::map<std::pair<ResourceAmount, ResourceAmount>, std::size_t> lines;
  std::vector<std::string_view> fields;
  while (reader.next(line)) {
    split_fields(line, fields);
    if (fields.size() != count) {
      reader.fail(fmt::format("{} fields, expected {}", fields.size(), count));
    }
    const FlavorPrice flavor = read_flavor(reader, fields, positions);
    const auto [first, is_new] =
        lines.try_emplace({flavor.vcpus, flavor.memory_mb}, reader.line_number());
    if (!is_new) {
      reader.fail(fmt::format("the flavor {},{} stands on line {} too, expected one line for it",
                              flavor.vcpus, flavor.memory_mb, first->second));
    }
    flavors.push_back(flavor);
  }
  if (flavors.empty()) reader.fail("the table ends here, expected a line for each flavor");
  return flavors;
}

/// What instances of one flavor are asked for inside the window.
struct FlavorUse {
  double vms = 0;  ///< vcpu-seconds
  double spots = 0;
};
using FlavorUses = std::map<std::pair<ResourceAmount, ResourceAmount>, FlavorUse>;

FlavorUses uses_of(const Workload& workload) {
  FlavorUses uses;
  for (const WorkloadRow& row : workload.rows) {
    FlavorUse& use = uses[{row.resources.vcpus, row.resources.memory_mb}];
    (row.is_spot() ? use.spots : use.vms) += vcpu_seconds(requested_revenue(row, workload.window));
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
  }
  require_all(missing, source);
  return {seconds.vms > 0 ? money.vms / seconds.vms : 0,
          seconds.spots > 0 ? money.spots / seconds.spots : 0};
}

PriceList read_flavor_prices(const std::filesystem::path& file) {
  return {.flavors = read_flavors(file), .source = file.string()};
}

std::optional<PriceList> read_price_list(const std::vector<std::string>& texts) {
  if (texts.empty()) return std::nullopt;
  PriceList list;
  std::array<bool, 2> given{};
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_spot = name == "spot";
    if (equals == std::string::npos && texts.size() == 1) return read_flavor_prices(text);
    if (equals == std::string::npos || (!is_spot && name != "on-demand")) {
      throw ConfigError(fmt::format(
          "--price: found '{}', expected on-demand=PRICE and spot=PRICE of a vCPU-hour, or one CSV "
          "file with {}",
          text, fmt::join(kColumns, ",")));
    }
    const std::optional<double> price = parse_price(std::string_view(text).substr(equals + 1));
    if (!price) throw ConfigError(fmt::format("--price {}: expected {}", text, kPriceExpected));
    if (given[is_spot ? 1 : 0]) throw ConfigError(fmt::format("--price {} comes twice", name));
    given[is_spot ? 1 : 0] = true;
    (is_spot ? list.vcpu_hour.spot : list.vcpu_hour.on_demand) = *price;
  }
  if (!given[0] || !given[1]) {
    throw ConfigError(fmt::format("--price {}=PRICE is missing, expected both prices",
                                  given[0] ? "spot" : "on-demand"));
  }
  return list;
}

}  // namespace cospot
