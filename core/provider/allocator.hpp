#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/policy/evictor.hpp"
#include "core/ranking/chain.hpp"

namespace cospot {

/// The policies of one datacenter, made. Const once made, so threads may share it.
struct Allocator {
  std::shared_ptr<const Chain> vm{};    ///< sees what is free beside VMs
  std::shared_ptr<const Chain> spot{};  ///< sees what is free beside all instances
  std::shared_ptr<const Evictor> evictor{};
  OfferRule otn{};
  /// The chains of the priority levels between VMs and spots, the highest first: each sees the
  /// capacity that its own level and those above leave free.
  std::vector<std::shared_ptr<const Chain>> between{};
};

}  // namespace cospot
