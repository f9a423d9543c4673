// A reserve of free capacity: spots are told that they have to leave it, and go when that is over.

#include <algorithm>

#include "sim_harness/provider/loop/simulation_engine.hpp"

namespace cospot {

/// The time of the next event; kNever: none.
SimTime SimulationEngine::next_time(bool has_event) const {
  const SimTime queued = queue_.empty() ? kNever : queue_.top().time;
  return has_event ? std::min(queued, time_of(next_event())) : queued;
}

/// All that happens at this moment has happened, so that no notice is for a lack that is over
/// before anybody could hear of it. When the window is over there are no more notices.
void SimulationEngine::keep_reserve() {
  is_reserve_kept_ = true;
  if (now_ >= schedule_->window) return;
  const ReserveKeeper::News news = reserve_->keep(now_);
  tell_withdrawn(news.withdrawn);
  for (const Notice& notice : news.given) tell(LifeEventKind::kNotice, notice.spot, notice.host);
  if (!news.given.empty()) push({news.given.front().evict_at, DueKind::kNoticeOver});
}

void SimulationEngine::tell_withdrawn(std::span<const Notice> notices) {
  for (const Notice& notice : notices) {
    tell(LifeEventKind::kNoticeWithdrawn, notice.spot, notice.host);
  }
}

/// The remaining spots are evicted: the reserve needs each of them.
void SimulationEngine::end_notices() {
  tell_withdrawn(reserve_->withdraw_needless());
  Request for_nobody;
  for_nobody.instance = kNoInstance;
  for_nobody.time = now_;
  for (const Notice& notice : reserve_->over(now_)) {
    evict(notice.host, {&notice.spot, 1}, for_nobody);
  }
}

}  // namespace cospot
