#pragma once

#include <boost/python.hpp>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/model/host_table.hpp"

namespace cospot::python_host {

// Arrays to and from a policy, by NumPy's Python functions and the buffer protocol. Called with the
// lock. Errors: boost::python::error_already_set; PolicyError for what the policy must not return.

/// A new array (uint32) with these rows; the policy may keep it.
[[nodiscard]] boost::python::object rows_array(std::span<const HostIndex> rows);

/// Copies the weights that weigh_all returned.
void copy_weights(std::string_view policy, const boost::python::object& returned,
                  std::span<double> weights);

/// Copies what filter_all returned.
void copy_passes(std::string_view policy, const boost::python::object& returned,
                 std::span<std::uint8_t> passes);

}  // namespace cospot::python_host
