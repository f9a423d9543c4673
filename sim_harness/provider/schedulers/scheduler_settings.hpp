#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/sim_time.hpp"

namespace cospot {

/// When the datacenter carries out what a scheduler decided on its view.
enum class CommitRule : std::uint8_t {
  kGeneration,  ///< the host has not changed since
  kCapacity,    ///< it may have, but passes the filters, and what must go is planned anew
};

/// What a scheduler does when a commit is declined.
enum class RetryRule : std::uint8_t {
  kAlternates,  ///< the best of the other hosts, at once and on the same view
  kRefresh,     ///< refreshes its view and decides again, which takes its time
};

/// Which scheduler gets a request.
enum class DealRule : std::uint8_t {
  kByRequest,  ///< the next one in turn
  kByTenant,   ///< that of its tenant; tenants are dealt in turn, in the order of the workload
};

/// Schedulers that decide at the same time, each on a view of its own.
struct SchedulerSettings {
  std::size_t schedulers = 1;
  DealRule deal = DealRule::kByRequest;
  SimTime refresh_interval{0};  ///< 0: at the begin of every decision
  SimTime decision_time{0};     ///< from reading the view to the commit
  CommitRule commit = CommitRule::kGeneration;
  RetryRule retry = RetryRule::kAlternates;
  std::size_t retries = 2;           ///< after the first commit of a request was declined
  std::size_t host_subset_size = 1;  ///< the host is drawn from the first so many
  std::uint64_t seed = 1;            ///< of these draws
};

}  // namespace cospot
