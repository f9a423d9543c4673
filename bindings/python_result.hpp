#pragma once

#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot::bindings {

/// Makes a result as a dataclass that a Python module of cospot declares, where its fields are
/// documented; the names of `fields` are theirs.
template <class... Fields>
pybind11::object make_result(const char* module, const char* name, Fields&&... fields) {
  return pybind11::module_::import(module).attr(name)(std::forward<Fields>(fields)...);
}

/// cospot.interval.Interval.
inline pybind11::object interval_result(const MeanInterval& interval) {
  using namespace pybind11::literals;
  const std::optional<double> half = interval.half_width;
  return make_result("cospot.interval", "Interval", "mean"_a = interval.mean,
                     "low"_a = half ? std::optional(interval.mean - *half) : std::nullopt,
                     "high"_a = half ? std::optional(interval.mean + *half) : std::nullopt);
}

/// The same, or None.
inline pybind11::object interval_result(const std::optional<MeanInterval>& interval) {
  return interval ? interval_result(*interval) : pybind11::none();
}

/// A list of what `convert` makes of each value.
template <class Values, class Convert>
pybind11::list list_of_results(const Values& values, const Convert& convert) {
  pybind11::list made;
  for (const auto& value : values) made.append(convert(value));
  return made;
}

}  // namespace cospot::bindings
