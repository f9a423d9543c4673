#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/data/hosts/host_mix.hpp"

namespace cospot {

/// Reads a CSV file of hosts, plain or gzip-compressed (docs/hosts-format.md). Skips hosts whose
/// `status` is not `up`.
///
/// Errors: InputError with the file, the line, what was found and what was expected.
[[nodiscard]] HostMix read_hosts_file(const std::filesystem::path& path);
[[nodiscard]] HostMix parse_hosts(std::string_view text, std::string_view file);

/// Adds `key=value;key=value` to metadata; a key may have several values. Returns a description of
/// the fault, or an empty text.
[[nodiscard]] std::string read_metadata(std::string_view text, AggregateMetadata& metadata);

/// The index of a place in `places`; adds the place if it is new.
[[nodiscard]] PlaceIndex number_of_place(HostPlaces& places, const HostPlace& place);

}  // namespace cospot
