#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The condition under which the datacenter accepts a scheduler's decision.
enum class CommitRule : std::uint8_t {
  kGeneration,  ///< the host has not changed since
  kCapacity,    ///< it may have changed, but still passes the filters; victims are replanned
};

/// The reaction of a scheduler to a declined commit.
enum class RetryRule : std::uint8_t {
  kAlternates,  ///< tries the best of the other hosts at once, on the same view
  kRefresh,     ///< refreshes its view and decides again, which takes its time
};

/// The assignment of requests to schedulers.
enum class DealRule : std::uint8_t {
  kByRequest,  ///< in turn
  kByTenant,   ///< by tenant; tenants are assigned in turn, in the order of the workload
};

/// Schedulers that decide concurrently, each on its own view.
struct SchedulerSettings {
  std::size_t schedulers = 1;
  DealRule deal = DealRule::kByRequest;
  SimTime refresh_interval{0};  ///< 0: at the start of every decision
  SimTime decision_time{0};     ///< from reading the view to the commit
  CommitRule commit = CommitRule::kGeneration;
  RetryRule retry = RetryRule::kAlternates;
  std::size_t retries = 2;           ///< after a request's first commit was declined
  std::size_t host_subset_size = 1;  ///< the host is drawn from this many best-ranked hosts
  std::uint64_t seed = 1;            ///< of these random choices
};

}  // namespace cospot
