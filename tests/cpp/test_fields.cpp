#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"

namespace cospot {
namespace {

struct Engine {
  double litres = 1.5;
  bool is_on = false;
};

struct Car {
  std::int32_t seats = 4;
  std::optional<double> load{};
  double full = 0.25;
  int drive = 2;
  Engine engine{};
};

const Fields<Car> kCar{required(number_field("seats", &Car::seats, 1, 9)),
                       number_field("load", &Car::load, 0, 10),
                       percent_field("full_percent", &Car::full, 0, 100),
                       choice_field("drive", &Car::drive, {"two", "four"}, {2, 4}),
                       within(&Car::engine, number_field("litres", &Engine::litres, 0, 9)),
                       within(&Car::engine, flag_field("on", &Engine::is_on))};

Car read_car(const std::string& text) {
  return kCar.read_all(parse_yaml(text, "car.yaml"), "car", "car.");
}

std::string car_error(const std::string& text) {
  return error_text<ConfigError>([&] { static_cast<void>(read_car(text)); });
}

TEST_CASE("Fields: what is written is what is read, and what is left out keeps its default") {
  const std::string all =
      R"({"seats":5,"load":2.5,"full_percent":75,"drive":"four","litres":3,"on":true})";
  const Car car = read_car(all);
  CHECK(car.seats == 5);
  CHECK(car.load == 2.5);
  CHECK(car.full == 0.75);
  CHECK(car.drive == 4);
  CHECK(car.engine.litres == 3.0);
  CHECK(car.engine.is_on);
  CHECK(kCar.json(car).dump() == all);
  CHECK(kCar.json(read_car("seats: 2")).dump() ==
        R"({"seats":2,"full_percent":25,"drive":"two","litres":1.5,"on":false})");
}

TEST_CASE("Fields: an error names the place, the key behind its prefix and what is expected") {
  CHECK(contains(car_error("load: 1"), "car.yaml:1: car: missing key 'seats'"));
  CHECK(contains(car_error("{seats: 2, wheels: 3}"),
                 "unknown key 'wheels'; valid names: seats, load, full_percent, drive"));
  CHECK(contains(car_error("seats: 10"), "car.seats: found '10', expected a whole number from 1"));
  CHECK(contains(car_error("{seats: 2,\n load: x}"), "car.yaml:2: car.load: found 'x'"));
  CHECK(contains(car_error("{seats: 2, drive: six}"), "car.drive: found 'six', expected one of"));
  CHECK(contains(car_error("{seats: 2, full_percent: 101}"), "from 0 to 100"));
}

}  // namespace
}  // namespace cospot
