#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cospot {

/// The metadata of aggregates: the values of each key. Nova splits a value at its commas.
using AggregateMetadata = std::map<std::string, std::set<std::string>, std::less<>>;

/// The place of a host, as far as requests may ask for it. Hosts in the same place share one.
struct HostPlace {
  std::string zone{};                     ///< availability zone; empty: in none
  std::vector<std::string> aggregates{};  ///< names of the aggregates it is in
  AggregateMetadata metadata{};           ///< of all its aggregates together

  friend bool operator==(const HostPlace&, const HostPlace&) = default;
};

/// The index of a host's place among the places of a table.
using PlaceIndex = std::uint32_t;
using HostPlaces = std::vector<HostPlace>;

}  // namespace cospot
