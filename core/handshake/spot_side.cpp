#include "core/handshake/spot_side.hpp"

namespace cospot {

SpotSide::SpotSide(const Evictor& evictor, const PriorityLevels& levels)
    : evictor_(&evictor),
      evictions_(evictor, levels),
      best_(evictions_.no_plan()),
      candidate_(evictions_.no_plan()) {}

void SpotSide::start(const Request& request) {
  request_ = request;
  host_ = kNoHost;
  best_.reset(kNoScoreLimit);  // whatever comes wins
}

}  // namespace cospot
