#pragma once

#include <atomic>
#include <cstdint>

namespace cospot {

/// Asks long work to end. The owner (a signal handler, a binding) sets `asked`; whoever does the
/// work sets `noticed` once it has seen that and is on its way out.
struct StopFlag {
  std::atomic<bool> asked{false};
  std::atomic<bool> noticed{false};
};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// Tells work whether it shall end. A value: work that starts threads hands it to them (StopScope).
class StopToken {
 public:
  StopToken() = default;  ///< never asks
  explicit StopToken(StopFlag& flag) : flag_(&flag) {}

  [[nodiscard]] bool is_asked() const noexcept {
    if (flag_ == nullptr || !flag_->asked.load(std::memory_order_relaxed)) [[likely]] {
      return false;
    }
    flag_->noticed.store(true, std::memory_order_relaxed);
    return true;
  }

  /// Throws Interrupted when the work shall end.
  void check() const {
    if (is_asked()) [[unlikely]]
      throw_interrupted();
  }

 private:
  [[noreturn]] static void throw_interrupted();

  StopFlag* flag_ = nullptr;
};

/// What the thread's present work is to ask: the token of its innermost StopScope; without one, a
/// token that never asks.
[[nodiscard]] StopToken current_stop_token() noexcept;

/// Gives the thread's work a token. Readers, writers, the generator, the sizing and the engine find
/// it by current_stop_token(), so that nothing in between has to hand it on. A thread starts
/// without one. A scope with StopToken() shields what must not be broken off, such as a commit.
class StopScope {
 public:
  explicit StopScope(StopToken token) noexcept;
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

 private:
  StopToken before_;
};

/// Asks the thread's token once in so many calls of check(), so that a loop over millions of rows
/// can call it for each of them.
class StopPoll {
 public:
  void check() {
    if ((++calls_ & kSkip) == 0) token_.check();
  }

 private:
  static constexpr std::uint32_t kSkip = 1023;

  StopToken token_ = current_stop_token();
  std::uint32_t calls_ = 0;
};

}  // namespace cospot
