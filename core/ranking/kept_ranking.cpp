#include "core/ranking/kept_ranking.hpp"

#include <vector>

#include "core/ranking/batch_ranking.hpp"

namespace cospot {

HostRanking* KeptRanking::bring_up_to_date(const Chain& chain,
                                           const std::shared_ptr<const HostTable>& hosts,
                                           const HostLog& log) {
  if (!keeps_order_ || hosts->size() == 0) return nullptr;
  if (table_.lock() != hosts) {
    table_ = hosts;
    ranking_ = nullptr;
    return nullptr;
  }
  const std::vector<HostIndex>& changed = log.changed();
  if (ranking_ == nullptr || volume_ != log.volume()) {
    ranking_ = chain.make_ranking(*hosts);
    keeps_order_ = dynamic_cast<const BatchRanking*>(ranking_.get()) == nullptr;
    volume_ = log.volume();
    seen_ = changed.size();
    if (!keeps_order_) ranking_ = nullptr;
    return ranking_.get();
  }
  for (; seen_ < changed.size(); ++seen_) ranking_->host_changed(changed[seen_]);
  return ranking_.get();
}

}  // namespace cospot
