#include "sim_harness/data/prices/demand_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/tables/table_reader.hpp"

namespace cospot {
namespace {

enum DemandColumn : std::size_t { kDemandPrice, kDemandShare };
constexpr std::array<TableColumn, 2> kDemandColumns{{{"spot_price"}, {"share"}}};
constexpr TableFormat kDemandFormat{.columns = kDemandColumns, .rows = "prices"};

constexpr double kMostDemandPrice = 1e12;

std::optional<double> parse_up_to(std::string_view text, double most) {
  const std::optional<double> number = parse_number(text);
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

}  // namespace

std::vector<DemandPoint> read_demand_curve(const std::filesystem::path& file) {
  TableReader table(file, kDemandFormat);
  std::vector<DemandPoint> curve;
  while (table.next()) {
    curve.push_back(
        {.spot_price = table.value(
             kDemandPrice, [](auto text) { return parse_up_to(text, kMostDemandPrice); },
             "a price of a vCPU-hour from 0"),
         .share = table.value(
             kDemandShare, [](auto text) { return parse_up_to(text, 1); },
             "a share of the spots that are asked for, from 0 to 1")});
  }
  std::ranges::sort(curve, {}, &DemandPoint::spot_price);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const DemandPoint &lower = curve[i - 1], &higher = curve[i];
    if (lower.spot_price == higher.spot_price) {
      throw WorkloadError(fmt::format("{}: the price {:g} stands there twice, expected one share",
                                      file.string(), lower.spot_price));
    }
    if (higher.share > lower.share) {
      throw WorkloadError(fmt::format(
          "{}: at {:g} a share of {:g} is bought and at the higher price {:g} {:g}; expected no "
          "more at a higher price",
          file.string(), lower.spot_price, lower.share, higher.spot_price, higher.share));
    }
  }
  return curve;
}

}  // namespace cospot
