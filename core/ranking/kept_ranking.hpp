#pragma once

#include <cstdint>
#include <memory>

#include "core/model/host_log.hpp"
#include "core/policy/host_ranking.hpp"
#include "core/ranking/chain.hpp"

namespace cospot {

/// A chain's hosts in rank order, kept from one decision to the next as the engine keeps them,
/// while the decisions are about one table.
class KeptRanking {
 public:
  /// The ranking of `hosts`, whose changes are in `log`, brought up to date; nullptr where a scan
  /// is better: for a table that is seen for the first time, and for a chain that keeps no order.
  /// `chain` is the same in every call.
  [[nodiscard]] HostRanking* bring_up_to_date(const Chain& chain,
                                              const std::shared_ptr<const HostTable>& hosts,
                                              const HostLog& log);

 private:
  std::weak_ptr<const HostTable> table_;
  std::unique_ptr<HostRanking> ranking_;
  std::uint64_t volume_ = 0;  // of the table's log
  std::size_t seen_ = 0;      // entries of it
  bool keeps_order_ = true;
};

}  // namespace cospot
