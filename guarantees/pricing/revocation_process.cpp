#include "guarantees/pricing/revocation_process.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/errors.hpp"

namespace cospot {

PoissonRevocations::PoissonRevocations(double mttr_hours, std::uint64_t seed)
    : rate_(1 / mttr_hours), random_(seed) {
  if (mttr_hours > 0 && std::isfinite(mttr_hours)) return;
  throw ConfigError(
      fmt::format("the time to revocation is {} h, expected a number above 0", mttr_hours));
}

std::optional<ServerLife> PoissonRevocations::next() {
  return ServerLife{.wait = 0, .life = random_.exponential(rate_)};
}

RecordedAvailability::RecordedAvailability(std::vector<Span> spans) : spans_(std::move(spans)) {
  double before = 0;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    const auto refuse = [&](const char* what) {
      throw ConfigError(fmt::format("span {} of availability, from {} to {} h, {}", i + 1,
                                    span.begin, span.end, what));
    };
    if (!(span.begin >= 0)) refuse("begins before hour 0");
    if (!(span.end >= span.begin)) refuse("ends before it begins");
    if (span.begin < before) refuse("overlaps the one before");
    before = span.end;
  }
}

std::optional<ServerLife> RecordedAvailability::next() {
  if (next_ == spans_.size()) return std::nullopt;
  const Span& span = spans_[next_++];
  const double wait = span.begin - std::exchange(now_, span.end);
  return ServerLife{.wait = wait, .life = span.end - span.begin};
}

RecordedLives::RecordedLives(std::vector<double> lives_hours, std::uint64_t seed)
    : lives_(std::move(lives_hours)), random_(seed) {
  if (lives_.empty()) throw ConfigError("there is no recorded life of a server, expected some");
  for (const double life : lives_) {
    if (life >= 0) continue;
    throw ConfigError(fmt::format("the life of a server is {} h, expected 0 or more", life));
  }
}

std::optional<ServerLife> RecordedLives::next() {
  return ServerLife{.wait = 0, .life = lives_[random_.below(lives_.size())]};
}

}  // namespace cospot
