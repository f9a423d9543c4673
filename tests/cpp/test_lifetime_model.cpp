#include <doctest/doctest.h>

#include <cmath>

#include "core/errors.hpp"
#include "guarantees/lifetime_model_file.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/lifetime_fixtures.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kKnown{.vcpus = 2, .memory_mb = 4};

/// The hand-made model with line `number` (from 1) replaced; an empty text drops the line.
std::string with_line(int number, const std::string& line) {
  const std::string text = hand_model();
  std::string changed;
  int at = 1;
  for (std::size_t begin = 0; begin < text.size(); ++at) {
    const std::size_t end = text.find('\n', begin) + 1;
    if (at != number) changed += text.substr(begin, end - begin);
    if (at == number && !line.empty()) changed += line + "\n";
    begin = end;
  }
  return changed;
}

std::string lifetime_model_error(const std::string& text) {
  return error_text<ConfigError>([&] { (void)parse_lifetime_model(text, "m.txt"); });
}

TEST_CASE("LifetimeModel: inputs of a spot") {
  const auto model = parse_lifetime_model(hand_model(), "m.txt");
  const auto inputs = [&](const ResourceVector& resources, SimTime at, SimTime previous) {
    return model->inputs_of(
        {.resources = resources, .requested_at = at, .previous_lifetime = previous});
  };
  using std::chrono::hours;
  using std::chrono::seconds;
  CHECK((inputs(kKnown, hours(3), kNever) == LifetimeInputs{0, 3, 0, 2}));
  CHECK((inputs({2, 4, 1}, hours(24) - SimTime(1), seconds(59)) == LifetimeInputs{1, 23, 0, 0}));
  CHECK((inputs(kKnown, hours(24), seconds(60)) == LifetimeInputs{0, 0, 1, 1}));
  // Before the window: one microsecond is 23 h of the weekday before day 0, that is weekday 6.
  CHECK((inputs(kKnown, SimTime(-1), seconds(0)) == LifetimeInputs{0, 23, 6, 0}));
  CHECK((inputs(kKnown, -7 * kDay, kNever) == LifetimeInputs{0, 0, 0, 2}));
  CHECK((inputs(kKnown, 13 * kDay + hours(5), kNever) == LifetimeInputs{0, 5, 6, 2}));
}

TEST_CASE("LifetimeModel: hazards, worked by hand") {
  const auto model = parse_lifetime_model(hand_model(), "m.txt");
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  // Known flavor at 3 h, nothing known of the customer. Unit 0: 1 + 2 + 0.5 = 3.5. Unit 1: -1, so 0
  // by age input 0; -1 + 3 = 2 by age input 1. Output: -2 + 3.5 = 1.5, then -2 + 3.5 - 4 = -2.5.
  std::vector<double> hazards = model->hazards_of({0, 3, 0, 2});
  REQUIRE(hazards.size() == 3);
  CHECK(hazards[0] == doctest::Approx(sigmoid(1.5)).epsilon(1e-14));
  CHECK(hazards[1] == doctest::Approx(sigmoid(-2.5)).epsilon(1e-14));
  CHECK(hazards[2] == hazards[1]);
  // Another flavor on weekday 6, a short previous life. Unit 0: 1 + 0.25 - 1 = 0.25.
  hazards = model->hazards_of({1, 0, 6, 0});
  CHECK(hazards[0] == doctest::Approx(sigmoid(-1.75)).epsilon(1e-14));
  CHECK(hazards[1] == doctest::Approx(sigmoid(-5.75)).epsilon(1e-14));
}

TEST_CASE("LifetimeModel: a file of another shape is refused by line") {
  REQUIRE(lifetime_model_error(hand_model()).empty());
  CHECK(lifetime_model_error("") ==
        "m.txt:1: the file ends here, expected 'cospot-lifetime-model 1': it is not complete");
  CHECK(lifetime_model_error(with_line(1, "id,cores,ram")) ==
        "m.txt:1: found 'id,cores,ram', expected 'cospot-lifetime-model 1': this is no lifetime "
        "model");
  CHECK(lifetime_model_error(with_line(1, "cospot-lifetime-model 2")) ==
        "m.txt:1: version '2', expected version 1");
  CHECK(lifetime_model_error(with_line(3, "")) == "m.txt:3: found '2', expected 'flavors'");
  CHECK(lifetime_model_error(with_line(3, "flavors 2")) ==
        "m.txt:5: found 2 values, expected 3: vcpus, memory_mb, disk_gb of a flavor");
  CHECK(lifetime_model_error(with_line(3, "flavors many")) ==
        "m.txt:3: the number of flavors is 'many', expected a whole number from 0 to 100000");
  CHECK(lifetime_model_error(with_line(8, "10")) ==
        "m.txt:8: found 1 values, expected 2: the end of an interval, in seconds, and its age "
        "input");
  CHECK(lifetime_model_error(with_line(9, "10 1")) ==
        "m.txt:9: the end 10 s is not after the one before, 10 s");
  CHECK(lifetime_model_error(with_line(9, "20 2")) ==
        "m.txt:9: the age input is '2', expected a whole number from 0 to 1");
  CHECK(lifetime_model_error(with_line(12, "bias 1")) ==
        "m.txt:12: found 1 values, expected 2 after 'bias'");
  CHECK(lifetime_model_error(with_line(16, "2")) ==
        "m.txt:16: found 1 values, expected 2: one for each hidden unit");
  CHECK(lifetime_model_error(with_line(18, "inputs day 24")) ==
        "m.txt:18: inputs of 'day', expected 'hour'");
  CHECK(lifetime_model_error(with_line(18, "inputs hour 12")) ==
        "m.txt:18: the number of hour inputs is '12', expected a whole number from 24 to 24");
  CHECK(lifetime_model_error(with_line(kHandModelLines, "")) ==
        "m.txt:57: the file ends here, expected 'end': it is not complete");
  CHECK(lifetime_model_error(hand_model() + "more\n") == "m.txt:59: more lines after 'end'");
}

TEST_CASE("LifetimeModel: weights are finite numbers") {
  for (const std::string weight : {"nan", "-nan", "inf", "1e300", "2000000", "0x1p3", "1,5", ""}) {
    CAPTURE(weight);
    CHECK(lifetime_model_error(with_line(13, "output " + weight + " 1")).starts_with("m.txt:13: "));
    CHECK(lifetime_model_error(with_line(16, weight + " 0")).starts_with("m.txt:16: "));
  }
  CHECK(lifetime_model_error(with_line(14, "output-bias nan")) ==
        "m.txt:14: a weight is 'nan', expected a number from -1000000 to 1000000");
}

TEST_CASE("LifetimeModel: a file that is cut off anywhere is refused") {
  const std::string text = hand_model();
  for (std::size_t bytes = 0; bytes + 2 < text.size(); ++bytes) {
    CAPTURE(bytes);
    REQUIRE_FALSE(lifetime_model_error(text.substr(0, bytes)).empty());
  }
}

TEST_CASE("LifetimeModel: files") {
  const ScratchFolder folder;
  CHECK(read_lifetime_model(folder.write("m.txt", hand_model()))->network().hidden() == 2);
  const std::string missing = (folder / "none.txt").string();
  CHECK(error_text<ConfigError>([&] { (void)read_lifetime_model(missing); }) ==
        missing + ": cannot be read; expected a lifetime model");
  CHECK(
      contains(error_text<ConfigError>([&] { (void)read_lifetime_model(folder.path().string()); }),
               "cannot be read"));
  const std::string empty = folder.write("empty.txt", "").string();
  CHECK(contains(error_text<ConfigError>([&] { (void)read_lifetime_model(empty); }),
                 "empty.txt:1: the file ends here"));
}

TEST_CASE("LifetimeModel: the built-in one can be used") {
  const LifetimeNetwork& network = built_in_lifetime_model()->network();
  CHECK(network.interval_ends.back() >= kDay);
  CHECK(network.flavors.size() > 10);
  CHECK(built_in_lifetime_model() == built_in_lifetime_model());
}

}  // namespace
}  // namespace cospot
