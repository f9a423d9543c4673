#include "bindings/kept_ranking.hpp"

#include "core/ranking/batch_ranking.hpp"

namespace cospot::bindings {

HostRanking* KeptRanking::bring_up_to_date(const Chain& chain, const OwnedHosts& hosts) {
  if (!keeps_order_ || hosts.table->size() == 0) return nullptr;
  if (table_.lock() != hosts.table) {
    table_ = hosts.table;
    ranking_ = nullptr;
    return nullptr;
  }
  const std::vector<HostIndex>& changed = hosts.log->changed();
  if (ranking_ == nullptr || volume_ != hosts.log->volume()) {
    ranking_ = chain.make_ranking(*hosts.table);
    keeps_order_ = dynamic_cast<const BatchRanking*>(ranking_.get()) == nullptr;
    volume_ = hosts.log->volume();
    seen_ = changed.size();
    if (!keeps_order_) ranking_ = nullptr;
    return ranking_.get();
  }
  for (; seen_ < changed.size(); ++seen_) ranking_->host_changed(changed[seen_]);
  return ranking_.get();
}

}  // namespace cospot::bindings
