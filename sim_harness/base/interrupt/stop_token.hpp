#pragma once

#include <atomic>
#include <cstdint>

namespace cospot {

/// Asks long work to stop. The owner (a signal handler, a binding) sets `asked`; the work sets
/// `noticed` when it has seen that and is ending.
struct StopFlag {
  std::atomic<bool> asked{false};
  std::atomic<bool> noticed{false};
};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// Tells work whether to stop. A value: work that starts threads passes it on to them (StopScope).
class StopToken {
 public:
  StopToken() = default;  ///< never stops
  explicit StopToken(StopFlag& flag) : flag_(&flag) {}

  [[nodiscard]] bool is_asked() const noexcept {
    if (flag_ == nullptr || !flag_->asked.load(std::memory_order_relaxed)) [[likely]] {
      return false;
    }
    flag_->noticed.store(true, std::memory_order_relaxed);
    return true;
  }

  /// Throws Interrupted if the work must stop.
  void check() const {
    if (is_asked()) [[unlikely]]
      throw_interrupted();
  }

 private:
  [[noreturn]] static void throw_interrupted();

  StopFlag* flag_ = nullptr;
};

/// The token of the thread's innermost StopScope; without one, a token that never stops.
[[nodiscard]] StopToken current_stop_token() noexcept;

/// Gives the thread's work a token. Readers, writers, the generator, the sizing and the engine find
/// it through current_stop_token(), so that the layers between need not pass it on. A new thread
/// has none. A scope with StopToken() protects work that must not be interrupted, such as a commit.
class StopScope {
 public:
  explicit StopScope(StopToken token) noexcept;
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

 private:
  StopToken before_;
};

/// Checks the thread's token only once per several calls of check(), so that a loop can call it for
/// each of millions of rows.
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
