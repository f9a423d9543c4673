#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/host_place.hpp"

namespace cospot {

/// Tells whether a value of aggregate metadata satisfies what an extra spec asks: equal text, or an
/// expression such as `>= 4`, `s!= old`, `<in> ssd`, `<or> a <or> b`.
///
/// Where Nova would raise (a number is asked for, and there is none), nothing matches.
/// Source: nova/scheduler/filters/extra_specs_ops.py, match().
[[nodiscard]] bool matches_extra_spec(std::string_view value, std::string_view expression);

/// Tells whether the metadata of a host's aggregates satisfy all extra specs of a flavor.
///
/// Source: nova/scheduler/filters/aggregate_instance_extra_specs.py.
[[nodiscard]] bool matches_extra_specs(
    const AggregateMetadata& metadata,
    std::span<const std::pair<std::string, std::string>> extra_specs);

}  // namespace cospot
