#include "sim_harness/base/interrupt/stop_token.hpp"

#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

thread_local StopToken current;

}  // namespace

void StopToken::throw_interrupted() { throw Interrupted{}; }

StopToken current_stop_token() noexcept { return current; }

StopScope::StopScope(StopToken token) noexcept : before_(std::exchange(current, token)) {}

StopScope::~StopScope() { current = before_; }

}  // namespace cospot
