#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <variant>

#include "bindings/arguments.hpp"
#include "sim_harness/experiments/results/column.hpp"

namespace cospot::bindings {

/// What a study measured: revenue in vcpu-seconds, None where there is no value.
inline pybind11::object measured(const Value& value) {
  constexpr double kMicroseconds = 1e6;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return pybind11::int_(*count);
  if (const auto* number = std::get_if<double>(&value)) return pybind11::float_(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return to_str(*text);
  if (const auto* revenue = std::get_if<Revenue>(&value)) {
    return pybind11::float_(static_cast<double>(*revenue) / kMicroseconds);
  }
  return pybind11::none();
}

}  // namespace cospot::bindings
