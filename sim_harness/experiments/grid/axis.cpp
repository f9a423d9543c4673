#include "sim_harness/experiments/grid/axis.hpp"

#include <fmt/format.h>

namespace cospot {

AxisValue axis_value(double value) {
  const std::string text = fmt::format("{}", value);
  return {value, text, text};
}

AxisValue axis_value(bool value) {
  const std::string text = value ? "on" : "off";
  return {std::int64_t{value}, text, text};
}

AxisValue axis_value(const std::string& value) { return {value, value, value}; }

}  // namespace cospot
