#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "bindings/given_study.hpp"
#include "core/model/host_table.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot::bindings {

/// A number N, a label (`epsilon-0.05`), or a dict as in sweep files:
/// {"epsilon": 0.05}, {"adaptive": {"at_low_load": 32, "at_high_load": 1, "from": 0.8, "to": 1}}.
///
/// Errors: ConfigError, ArgumentError.
[[nodiscard]] OfferRule read_offer_rule(pybind11::handle value);

/// A run's settings and the hosts it starts with.
struct PreparedRun {
  RunSettings settings;
  HostTable hosts;
};

/// The hosts: the resources of one of alike hosts, a list of types as in sweep files, or the path
/// or the content (bytes) of a file of hosts. Errors: ConfigError, InputError, TypeError.
[[nodiscard]] HostMix read_host_mix(const pybind11::object& value, std::string_view name);

/// The hosts of `tune` and `plan`: `host` and how many or a headroom, or a file of hosts as either.
/// Errors: as read_host_mix, and ConfigError if the arguments do not fit together.
[[nodiscard]] TunedDatacenter read_datacenter(const pybind11::object& host,
                                              const pybind11::object& hosts,
                                              const pybind11::object& headroom_percent,
                                              const pybind11::object& added_type);

/// The keyword arguments that name the policies and offers to choose from, in place of those of
/// `usual`. With `all`, also `promise` and `model`. `command`: for errors. Errors: ConfigError,
/// TypeError.
[[nodiscard]] TuneCandidates read_candidates(const pybind11::kwargs& given, TuneCandidates usual,
                                             bool all, const char* command,
                                             GivenPolicies& policies);

/// Reads the arguments that every simulated run has. Errors: ConfigError, TypeError.
[[nodiscard]] PreparedRun prepare_run(const pybind11::object& hosts, const pybind11::object& host,
                                      const pybind11::object& vm, const pybind11::object& spot,
                                      const pybind11::object& evictor, bool saf,
                                      const pybind11::object& otn);

}  // namespace cospot::bindings
