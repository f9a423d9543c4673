#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cospot {

/// What aggregates say of their hosts: the values of each key. Nova splits a value at its commas.
using AggregateMetadata = std::map<std::string, std::set<std::string>, std::less<>>;

/// Where a host stands, as far as requests may ask for it. Hosts that stand alike share one.
struct HostPlace {
  std::string zone{};                     ///< availability zone; empty: in none
  std::vector<std::string> aggregates{};  ///< names of the aggregates it is in
  AggregateMetadata metadata{};           ///< of all its aggregates together

  friend bool operator==(const HostPlace&, const HostPlace&) = default;
};

/// Which of the places of a table a host has.
using PlaceIndex = std::uint32_t;
using HostPlaces = std::vector<HostPlace>;

}  // namespace cospot
