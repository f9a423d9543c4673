#pragma once

#include <array>
#include <csignal>
#include <thread>

#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {

/// The exit code of a command that SIGINT (Ctrl-C) or SIGTERM ended.
inline constexpr int kInterruptedExitCode = 130;

/// While it lives, SIGINT and SIGTERM ask the work of this thread, and of the threads it starts, to
/// end (StopScope). Work that does not notice within most of a second is in the middle of something
/// that asks nobody, such as a solver, a sort or a read from a pipe: then a watching thread removes
/// what is unfinished (TemporaryPath) and ends the program with exit code 130. So does a second
/// signal, at once. One at a time in a program.
class InterruptSignals {
 public:
  InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;
  ~InterruptSignals();

  /// What the handler sets.
  [[nodiscard]] static StopFlag& flag();

 private:
  StopScope scope_;
  std::array<struct sigaction, 2> before_{};
  std::thread watcher_;
};

}  // namespace cospot
