#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"

namespace cospot {

/// The position of a feasible host in a ranking: the higher tiers first, then the higher weight.
struct Standing {
  std::uint32_t tiers = 0;
  double weight = 0;
};

/// The hosts of one table in a chain's rank order, found one by one: the walk goes only as far as
/// the handshake needs. Ties go to the lowest host index.
///
/// Belongs to the writer of the table, which reports every host it changes. One walk at a time;
/// a walk ends when the table changes.
class HostRanking {
 public:
  virtual ~HostRanking() = default;

  /// Takes note that a host of the table was changed.
  virtual void host_changed(HostIndex host) = 0;

  /// Tells whether placing or removing a spot can change the order; if not, such changes need not
  /// be reported, unless first_without_eviction is used.
  [[nodiscard]] virtual bool sees_spots() const { return true; }

  /// Starts a walk for `request`.
  virtual void start(const Request& request) = 0;

  /// The next best feasible host, or kNoHost when there is none left.
  [[nodiscard]] virtual HostIndex next() = 0;

  /// Among the first `within` hosts of the walk that was just started: the best-ranked one that
  /// needs no eviction, or kNoHost. Needs a request for a VM; the walk goes on where it was.
  [[nodiscard]] virtual HostIndex first_without_eviction(std::size_t within) const = 0;

  /// The position of a feasible host for the request of the walk.
  [[nodiscard]] virtual Standing standing_of(HostIndex host) const = 0;

  /// The greatest minus the least weight of all feasible hosts, whatever their tiers; there is one.
  [[nodiscard]] virtual double weight_spread() const = 0;

  /// The same ranking over `copy`, a copy of the table this one was made for.
  [[nodiscard]] virtual std::unique_ptr<HostRanking> clone(const HostTable& copy) const = 0;
};

}  // namespace cospot
