#include "sim_harness/experiments/queue/work_queue.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

class WorkQueue {
 public:
  WorkQueue(std::size_t count, const std::function<void(std::size_t)>& work)
      : count_(count), work_(work) {}

  void run(std::size_t threads) {
    {
      std::vector<std::jthread> others;
      try {
        for (std::size_t i = 1; i < std::min(threads, count_); ++i) {
          others.emplace_back([this] { take_all(); });
        }
      } catch (const std::system_error&) {
        // The machine has no further thread to give: those there are do the work.
      }
      take_all();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void take_all() {
    const StopScope scope(stop_);
    while (!failed_ && !stop_.is_asked()) {
      const std::size_t next = next_++;
      if (next >= count_) return;
      try {
        work_(next);
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }

  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    failed_ = true;
  }

  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  StopToken stop_ = current_stop_token();
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  ///< guards what follows
  std::exception_ptr failure_;
};

}  // namespace

void work_in_parallel(std::size_t count, std::size_t threads,
                      const std::function<void(std::size_t)>& work) {
  WorkQueue(count, work).run(threads);
}

}  // namespace cospot
