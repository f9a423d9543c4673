#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/data/hosts/host_mix.hpp"

namespace cospot {

/// Reads a CSV file of hosts, plain or gzip-compressed (docs/hosts-format.md). Hosts whose `status`
/// is not `up` are left out.
///
/// Errors: InputError with the file, the line, what was found and what was expected.
[[nodiscard]] HostMix read_hosts_file(const std::filesystem::path& path);
[[nodiscard]] HostMix parse_hosts(std::string_view text, std::string_view file);

/// Adds `key=value;key=value` to metadata, each key as often as it has values.
/// Returns what is wrong, or an empty text.
[[nodiscard]] std::string read_metadata(std::string_view text, AggregateMetadata& metadata);

/// The number of a place in `places`, which it is added to if it is not there.
[[nodiscard]] PlaceIndex number_of_place(HostPlaces& places, const HostPlace& place);

}  // namespace cospot
