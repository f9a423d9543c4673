#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/resource_vector.hpp"
#include "guarantees/sla/history.hpp"

namespace cospot {

/// The hosts of a history while it is replayed event by event.
class RecordedHosts {
 public:
  /// A recorded spot; `number` counts them by age, 0 is the first that was placed.
  struct Spot {
    std::uint32_t number = 0;
    ResourceVector resources;
    SimTime promised_until = kNoPromisedEnd;

    [[nodiscard]] bool is_promised(SimTime now) const { return now < promised_until; }
  };

  explicit RecordedHosts(std::span<const ResourceVector> totals);

  void apply(const HistoryEvent& event);

  [[nodiscard]] std::size_t size() const { return free_.size(); }
  /// The number of spots placed so far: the number that the next one gets.
  [[nodiscard]] std::uint32_t spots_placed() const { return spots_placed_; }

  /// The free capacity next to VMs and spots.
  [[nodiscard]] const ResourceVector& free(HostIndex host) const { return free_[host]; }
  [[nodiscard]] const ResourceVector& free_ignoring_spots(HostIndex host) const {
    return free_ignoring_spots_[host];
  }
  /// The free capacity next to VMs and those spots with a number below `age` that are promised to
  /// live on: nobody else keeps a promised spot of that age from its room.
  [[nodiscard]] ResourceVector free_beside_promised(HostIndex host, std::uint32_t age,
                                                    SimTime now) const;

  [[nodiscard]] std::span<const Spot> spots_on(HostIndex host) const { return spots_[host]; }
  /// The number of running spots with a number below `age`, on all hosts.
  [[nodiscard]] std::size_t running_older(std::uint32_t age) const;

 private:
  std::vector<ResourceVector> free_;
  std::vector<ResourceVector> free_ignoring_spots_;
  std::vector<std::vector<Spot>> spots_;  // of each host, by number
  std::vector<std::uint32_t> running_;    // numbers of all running spots, ascending
  std::uint32_t spots_placed_ = 0;
};

}  // namespace cospot
