#pragma once

#include <array>
#include <csignal>
#include <thread>

#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {

/// The exit code of a command ended by SIGINT (Ctrl-C) or SIGTERM.
inline constexpr int kInterruptedExitCode = 130;

/// While an object exists, SIGINT and SIGTERM ask the work of this thread, and of the threads it
/// starts, to stop (StopScope). Work that does not react within most of a second is inside
/// something that never checks, such as a solver, a sort or a read from a pipe: then a watchdog
/// thread removes incomplete files (TemporaryPath) and ends the program with exit code 130. A
/// second signal does so at once. Only one object may exist at a time.
class InterruptSignals {
 public:
  InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;
  ~InterruptSignals();

  /// The flag set by the handler.
  [[nodiscard]] static StopFlag& flag();

 private:
  StopScope scope_;
  std::array<struct sigaction, 2> before_{};
  std::thread watcher_;
};

}  // namespace cospot
