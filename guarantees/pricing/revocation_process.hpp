#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/random.hpp"

namespace cospot {

/// One server that a job gets, in hours.
struct ServerLife {
  double wait = 0;  ///< until it is to be had
  double life = 0;  ///< from then to its revocation; may be infinite
};

/// The servers that a job gets one after the other.
class RevocationProcess {
 public:
  virtual ~RevocationProcess() = default;
  /// Empty: the record has ended.
  [[nodiscard]] virtual std::optional<ServerLife> next() = 0;
};

/// Servers that are always to be had, with exponential lives.
class PoissonRevocations final : public RevocationProcess {
 public:
  /// Errors: ConfigError when the MTTR is not positive and finite.
  PoissonRevocations(double mttr_hours, std::uint64_t seed);
  [[nodiscard]] std::optional<ServerLife> next() override;

 private:
  double rate_;
  Random random_;
};

/// A server that was to be had in recorded spans of hours, such as the idle periods of a host.
class RecordedAvailability final : public RevocationProcess {
 public:
  struct Span {
    double begin = 0;
    double end = 0;
  };
  /// The job begins at hour 0. Errors: ConfigError for a span that begins before 0, ends before it
  /// begins, or overlaps the one before.
  explicit RecordedAvailability(std::vector<Span> spans);
  [[nodiscard]] std::optional<ServerLife> next() override;

 private:
  std::vector<Span> spans_;
  std::size_t next_ = 0;
  double now_ = 0;
};

/// Servers that are always to be had and live as long as recorded ones did, such as the evicted
/// spots of a run; drawn at random, so that the order of the record does not matter.
class RecordedLives final : public RevocationProcess {
 public:
  /// Errors: ConfigError when there is none or one is negative.
  RecordedLives(std::vector<double> lives_hours, std::uint64_t seed);
  [[nodiscard]] std::optional<ServerLife> next() override;

 private:
  std::vector<double> lives_;
  Random random_;
};

}  // namespace cospot
