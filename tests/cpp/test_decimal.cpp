#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "core/random.hpp"
#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"

namespace cospot {
namespace {

constexpr SimTime kFar = 10'000 * kDay;

std::int64_t days_of(const std::string& text) {
  const std::optional<Decimal> decimal = Decimal::parse(text);
  REQUIRE(decimal.has_value());
  const std::optional<SimTime> time = decimal->days(kFar);
  REQUIRE(time.has_value());
  return time->count();
}

TEST_CASE("Decimal: days are the microsecond nearest to what is written") {
  // 907.4957986110821 x 86,400,000,000 = 78,407,636,999,997.49344: down. The product of doubles is
  // 78,407,636,999,997.5, and was rounded up.
  CHECK(days_of("-907.4957986110821") == -78'407'636'999'997);
  CHECK(days_of("907.4957986110821") == 78'407'636'999'997);
  CHECK(parse_days("-907.4957986110821") == SimTime{-78'407'636'999'997});
  CHECK(days_of("0.5") == 43'200'000'000);
  CHECK(days_of("1e-3") == 86'400'000);
  CHECK(days_of("10000") == 864'000'000'000'000);
  CHECK(days_of("0000000000000000000000000000001.50") == 129'600'000'000);
  CHECK(days_of("-0.0") == 0);
  // 5.787037037037037037e-12 days are 0.4999999999999999... microseconds, the next one 0.5000...
  CHECK(days_of("5.787037037037037037e-12") == 0);
  CHECK(days_of("5.787037037037037038e-12") == 1);
  CHECK(days_of("1e-300") == 0);
}

TEST_CASE("Decimal: what is no number, or too far away, is refused") {
  for (const char* text : {"", "x", "1.2.3", "inf", "nan", "1e999", "1 ", "--1"}) {
    CAPTURE(text);
    CHECK_FALSE(Decimal::parse(text).has_value());
  }
  for (const char* text : {"10000.000001", "-10001", "1e300"}) {
    CAPTURE(text);
    CHECK_FALSE(Decimal::parse(text)->days(kFar).has_value());
  }
}

TEST_CASE("Decimal: a product is exact and rounded down") {
  CHECK(Decimal::parse("1.13")->times_rounded_down(SimTime{10'000'000}) == SimTime{11'300'000});
  CHECK(Decimal::parse("1.5")->times_rounded_down(SimTime{3}) == SimTime{4});
  CHECK(Decimal::parse("1e2")->times_rounded_down(SimTime{7}) == SimTime{700});
  CHECK(Decimal::parse("1.0000000000000000001")->times_rounded_down(SimTime{5}) == SimTime{5});
}

TEST_CASE("Decimal: the number is the double that was read; equal numbers are equal") {
  for (const double number : {1.13, 1.0, 1000.0, 2.5e-7, 1.0000000000000002, -3.25}) {
    CAPTURE(number);
    CHECK(Decimal::of(number).number() == number);
  }
  CHECK((Decimal::parse("2.00") == Decimal(2)));
  CHECK((Decimal::parse("1e1") == Decimal::of(10)));
}

TEST_CASE("Decimal: days agree with whole numbers for random ones of nine decimals") {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto whole = static_cast<std::int64_t>(random.below(10'000));
    const auto billionths = static_cast<std::int64_t>(random.below(1'000'000'000));
    std::string decimals = std::to_string(billionths);
    decimals.insert(0, 9 - decimals.size(), '0');
    // A billionth of a day is 86.4 microseconds; halves cannot come about (86.4 n = x.5 never).
    const std::int64_t expected = whole * kDay.count() + (billionths * 864 + 5) / 10;
    CHECK(days_of(std::to_string(whole) + "." + decimals) == expected);
  }
}

}  // namespace
}  // namespace cospot
