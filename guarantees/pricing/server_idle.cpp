#include "guarantees/pricing/server_idle.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/errors.hpp"

namespace cospot {
namespace {

void add(ServerIdle& server, const IdlePeriod& period) {
  server.idle += period.length();
  server.revocations += period.revoked ? 1 : 0;
}

}  // namespace

double ServerIdle::mttr_hours() const {
  if (revocations == 0) return std::numeric_limits<double>::infinity();
  return hours_of(idle) / static_cast<double>(revocations);
}

std::vector<ServerIdle> idle_by_rank(const Demand& demand, std::size_t servers, TimeSpan span) {
  std::vector<ServerIdle> ranks(servers);
  for_each_idle_period(demand, servers, span,
                       [&](const IdlePeriod& period) { add(ranks[period.server], period); });
  return ranks;
}

std::vector<ServerIdle> idle_by_server(std::span<const IdlePeriod> periods, std::size_t servers) {
  std::vector<ServerIdle> found(servers);
  std::vector<SimTime> last_end(servers, SimTime::min());
  for (const IdlePeriod& period : periods) {
    const auto refuse = [&](const std::string& what) {
      throw ConfigError(fmt::format("the idle period of server {} from {} to {} us {}",
                                    period.server, period.begin.count(), period.end.count(), what));
    };
    if (period.server >= servers) {
      refuse(fmt::format("is of no server, expected one below {}", servers));
    }
    if (period.end < period.begin) refuse("ends before it begins");
    if (period.begin < last_end[period.server]) refuse("overlaps the period before");
    last_end[period.server] = period.end;
    if (period.length() >= kLeastIdle) add(found[period.server], period);
  }
  return found;
}

}  // namespace cospot
