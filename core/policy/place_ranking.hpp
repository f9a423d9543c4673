#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/policy/host_ranking.hpp"

namespace cospot {

/// A ranking of which a walk may leave out the hosts of some places.
class PlaceRanking : public HostRanking {
 public:
  /// For the walks that start from now on: `allowed` has an entry for each place of the table, 0
  /// where its hosts are left out, and outlives those walks. Empty: no host is left out.
  virtual void allow_places(std::span<const std::uint8_t> allowed) = 0;

  [[nodiscard]] virtual std::unique_ptr<PlaceRanking> clone_places(const HostTable& copy) const = 0;
  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const final {
    return clone_places(copy);
  }
};

}  // namespace cospot
