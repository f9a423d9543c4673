#include "sim_harness/base/interrupt/interrupt_signals.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <string_view>
#include <system_error>

#include "sim_harness/base/interrupt/temporary_path.hpp"

namespace cospot {
namespace {

constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
/// The longest time in which work must notice an interrupt.
constexpr std::chrono::milliseconds kPatience{800};

StopFlag stop_flag;
std::atomic<bool> watching_ends{false};
sem_t news;  // posted by the handler, and once at the end of the watch; sem_post is safe in both

extern "C" void cospot_on_interrupt(int /*signal*/) {
  const int saved = errno;
  stop_flag.asked.store(true);
  sem_post(&news);
  errno = saved;
}

/// Waits for a signal or the end of the watch; with a deadline, false when that came first.
bool wait_for_news(const timespec* deadline) {
  for (;;) {
    const int result =
        deadline == nullptr ? sem_wait(&news) : sem_clockwait(&news, CLOCK_MONOTONIC, deadline);
    if (result == 0) return true;
    if (errno == ETIMEDOUT) return false;
  }
}

timespec after(std::chrono::milliseconds wait) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::chrono::nanoseconds whole = std::chrono::nanoseconds(time.tv_nsec) + wait;
  time.tv_sec += whole / std::chrono::seconds(1);
  time.tv_nsec = (whole % std::chrono::seconds(1)).count();
  return time;
}

void watch() {
  wait_for_news(nullptr);
  if (watching_ends) return;
  const timespec deadline = after(kPatience);
  const bool again = wait_for_news(&deadline);
  if (watching_ends) return;
  if (!again && stop_flag.noticed) {
    wait_for_news(nullptr);
    if (watching_ends) return;
  }
  remove_temporary_paths();
  constexpr std::string_view kMessage = "cospot: interrupted\n";
  // A failed write makes no difference any more.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  // Without unwinding: whatever other threads are in the middle of may take minutes.
  ::_exit(kInterruptedExitCode);
}

/// Starts the watching thread with the signals blocked, so that other threads get them.
std::thread start_watcher() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread watcher;
  try {
    watcher = std::thread(watch);
  } catch (const std::system_error&) {
    // The machine has no further thread to give: the work is asked to end, and nothing more.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return watcher;
}

}  // namespace

InterruptSignals::InterruptSignals() : scope_(StopToken(stop_flag)) {
  stop_flag.asked = false;
  stop_flag.noticed = false;
  watching_ends = false;
  sem_init(&news, 0, 0);
  watcher_ = start_watcher();
  struct sigaction action {};
  action.sa_handler = cospot_on_interrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &before_[i]);
  }
}

InterruptSignals::~InterruptSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
  watching_ends = true;
  sem_post(&news);
  if (watcher_.joinable()) watcher_.join();
}

StopFlag& InterruptSignals::flag() { return stop_flag; }

}  // namespace cospot
