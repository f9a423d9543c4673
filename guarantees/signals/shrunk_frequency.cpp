#include "guarantees/signals/shrunk_frequency.hpp"

#include <stdexcept>

namespace cospot {
namespace {

/// One more feature behind those of a group. Bins count from 1 here, so that no two groups share a
/// number.
std::uint64_t inner_group(std::uint64_t group, std::uint16_t bin) {
  return (group << 16U) | (std::uint64_t{bin} + 1);
}

constexpr std::size_t kMostFeatures = 4;

}  // namespace

void ShrunkFrequency::add(Bins bins, bool happened) {
  if (bins.size() > kMostFeatures)
    throw std::logic_error("more features than a group's number has");
  const double one = happened ? 1 : 0;
  all_.cases += 1;
  all_.happened += one;
  std::uint64_t number = 0;
  for (const std::uint16_t bin : bins) {
    number = inner_group(number, bin);
    Group& group = groups_[number];
    group.cases += 1;
    group.happened += one;
  }
}

double ShrunkFrequency::estimate(Bins bins, double prior, double weight) const {
  const auto drawn = [weight](const Group& group, double outer) {
    return (group.happened + weight * outer) / (group.cases + weight);
  };
  // All cases together are drawn towards the prior as by one: nobody knows better than they do.
  double estimate = (all_.happened + prior) / (all_.cases + 1);
  std::uint64_t number = 0;
  for (const std::uint16_t bin : bins) {
    number = inner_group(number, bin);
    const auto found = groups_.find(number);
    if (found == groups_.end()) return estimate;
    estimate = drawn(found->second, estimate);
  }
  return estimate;
}

}  // namespace cospot
