#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "sim_harness/data/reconstruction/integer_sizes.hpp"
#include "tests/cpp/random_ratios.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMost = 1 << 26;

/// The size that the equations of a VM type give it, if they agree on a whole one.
std::optional<std::int64_t> whole_size(const SizeRatios& ratios, std::size_t type,
                                       const std::vector<std::int64_t>& machines) {
  std::optional<std::int64_t> size;
  for (const SizeRatio& equation : ratios.equations) {
    if (equation.vm_type != type) continue;
    const double value = equation.share * static_cast<double>(machines[equation.machine_type]);
    const auto whole = static_cast<std::int64_t>(std::llround(value));
    if (whole < 1 || std::abs(value - static_cast<double>(whole)) > 1e-9) return std::nullopt;
    if (size && *size != whole) return std::nullopt;
    size = whole;
  }
  return size;
}

/// The integer program's optimum by trying all machine sizes up to 24 of three machine types.
std::optional<IntegerSizes> search_all(const SizeRatios& ratios) {
  std::optional<IntegerSizes> best;
  std::pair<std::int64_t, std::int64_t> best_sums{};
  for (std::int64_t a = 1; a <= 24; ++a) {
    for (std::int64_t b = 1; b <= 24; ++b) {
      for (std::int64_t c = 1; c <= 24; ++c) {
        IntegerSizes sizes{.vm_types = {}, .machine_types = {a, b, c}};
        for (std::size_t type = 0; type < ratios.vm_types; ++type) {
          const auto size = whole_size(ratios, type, sizes.machine_types);
          if (!size) break;
          sizes.vm_types.push_back(*size);
        }
        if (sizes.vm_types.size() < ratios.vm_types) continue;
        const std::pair sums{a + b + c, std::reduce(sizes.vm_types.begin(), sizes.vm_types.end())};
        if (best && sums >= best_sums) continue;
        best_sums = sums;
        best = sizes;
      }
    }
  }
  return best;
}

TEST_CASE("find_integer_sizes: the optimum of the integer program, by exhaustive search") {
  int connected = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const MadeRatios made = make_ratios({.seed = seed});
    const auto groups = find_ratio_groups(made.ratios, Dropped(4, false));
    if (groups.size() != 1 || groups[0].machine_types.size() != 3) continue;
    ++connected;
    const auto sizes = find_integer_sizes(made.ratios, groups[0], kTolerance, kMost);
    const auto expected = search_all(made.ratios);
    REQUIRE(sizes);
    REQUIRE(expected);
    CHECK(sizes->machine_types == expected->machine_types);
    CHECK(sizes->vm_types == expected->vm_types);
  }
  CHECK(connected > 20);
}

TEST_CASE("find_integer_sizes: ratios are exact, common factors are gone") {
  // 6 = 0.5 x 12 and 8 = 0.666666666666667 x 12: in lowest terms 3, 4 and 6.
  const SizeRatios ratios{
      .vm_types = 2, .machine_types = 1, .equations = {{0, 0, 0.5}, {1, 0, 0.666666666666667}}};
  const auto sizes = find_integer_sizes(ratios, {{0, 1}, {0}}, kTolerance, kMost);
  REQUIRE(sizes);
  CHECK(sizes->vm_types == std::vector<std::int64_t>{3, 4});
  CHECK(sizes->machine_types == std::vector<std::int64_t>{6});
  // 6 is the least that holds a half and two thirds.
  CHECK(find_integer_sizes(ratios, {{0, 1}, {0}}, kTolerance, 6));
  CHECK_FALSE(find_integer_sizes(ratios, {{0, 1}, {0}}, kTolerance, 5));
}

TEST_CASE("find_integer_sizes: gives up where there are no whole sizes") {
  // 1/sqrt(2) and Euler's constant are no ratios of whole numbers; to come within 1e-12 of both
  // takes a machine of about 1e8, to come within 1e-5 of both one of about 1e3.
  const SizeRatios ratios{.vm_types = 2,
                          .machine_types = 1,
                          .equations = {{0, 0, 0.707106781186548}, {1, 0, 0.577215664901533}}};
  CHECK_FALSE(find_integer_sizes(ratios, {{0, 1}, {0}}, 1e-12, 1'000'000));
  const auto sizes = find_integer_sizes(ratios, {{0, 1}, {0}}, 1e-5, 1'000'000);
  REQUIRE(sizes);
  CHECK(sizes->machine_types[0] < 50'000);
}

TEST_CASE("whole_share_size: the denominator of a rounded fraction") {
  CHECK(whole_share_size(1, kTolerance) == 1);
  CHECK(whole_share_size(0.5, kTolerance) == 2);
  CHECK(whole_share_size(0.00961538461538462, kTolerance) == 104);  // 1/104
  CHECK(whole_share_size(0.0775104166666667, 1e-12) == 96000);      // 7441/96000
  CHECK(whole_share_size(0.707106781186548, kTolerance) > 10000);
}

TEST_CASE("find_ratio_groups: types that share no machine type are apart") {
  // Types 0 and 1 meet on machine 1; type 2 is alone on machine 0; type 3 is dropped with
  // machine 3.
  const SizeRatios ratios{
      .vm_types = 4,
      .machine_types = 4,
      .equations = {{0, 1, 0.5}, {1, 1, 0.25}, {1, 2, 0.5}, {2, 0, 1}, {3, 0, 0.5}, {3, 3, 1}}};
  const auto groups = find_ratio_groups(ratios, {false, false, false, true});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].vm_types == std::vector<std::size_t>{0, 1});
  CHECK(groups[0].machine_types == std::vector<std::size_t>{1, 2});
  CHECK(groups[1].vm_types == std::vector<std::size_t>{2});
  CHECK(groups[1].machine_types == std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace cospot
