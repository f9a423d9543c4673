#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

#include "bindings/sweep_tree.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot::bindings {

/// A study that a Python caller gave as a file or as a dict.
struct GivenStudy {
  StudyFile file;
  std::string where;  ///< its name in errors
};

/// `name` is the argument's. What is read refers to `policies`. Errors: ConfigError, TypeError.
[[nodiscard]] GivenStudy read_given_study(const pybind11::object& study, std::string_view name,
                                          const std::vector<std::string>& overrides,
                                          GivenPolicies& policies);

/// The same with some of its keys, `settings`, given beside it: they take the place of its own.
[[nodiscard]] GivenStudy read_given_study(const pybind11::object& study, std::string_view name,
                                          const pybind11::kwargs& settings,
                                          GivenPolicies& policies);

/// Assignments as those of `--set`. Errors: TypeError.
[[nodiscard]] std::vector<std::string> read_overrides(const pybind11::iterable& given);

}  // namespace cospot::bindings
