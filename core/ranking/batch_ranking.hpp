#pragma once

#include <vector>

#include "core/ranking/chain.hpp"

namespace cospot {

/// Ranks hosts with any chain, by filtering and weighing all of them for every request.
class BatchRanking final : public HostRanking {
 public:
  /// `chain` and `hosts` outlive the ranking.
  BatchRanking(const Chain& chain, const HostTable& hosts) : chain_(&chain), hosts_(&hosts) {}
  /// For columns whose table may be gone; they stay where they are while the ranking lives.
  BatchRanking(const Chain& chain, const HostView& columns) : chain_(&chain), columns_(columns) {}

  void host_changed(HostIndex /*host*/) override {}
  void start(const Request& request) override;
  [[nodiscard]] HostIndex next() override;
  [[nodiscard]] HostIndex first_without_eviction(std::size_t within) const override;
  [[nodiscard]] Standing standing_of(HostIndex host) const override;
  [[nodiscard]] double weight_spread() const override;
  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const override {
    return std::make_unique<BatchRanking>(*chain_, copy);
  }

 private:
  [[nodiscard]] HostView view() const { return hosts_ == nullptr ? columns_ : hosts_->view(); }

  const Chain* chain_;
  const HostTable* hosts_ = nullptr;
  HostView columns_;  // without a table
  Request request_;
  ChainScratch scratch_;
  std::vector<RankedHost> candidates_;  // not yet given; from the second on a heap, best on top
  std::vector<RankedHost> given_;       // best first
};

}  // namespace cospot
