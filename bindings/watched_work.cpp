#include "bindings/watched_work.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

/// The interval at which the calling thread looks for Ctrl-C.
constexpr std::chrono::milliseconds kLookEvery{50};

/// Work on its thread.
class Worker {
 public:
  explicit Worker(const std::function<void()>& work) : thread_([this, &work] { run(work); }) {}

  bool wait_a_while() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, kLookEvery, [this] { return is_done_; });
  }
  void stop() { flag_.asked = true; }
  /// The error that ended the work, once it is done.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

 private:
  void run(const std::function<void()>& work) {
    const StopScope scope{StopToken(flag_)};
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
    done_.notify_one();
  }

  StopFlag flag_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

void run_watched(const std::function<void()>& work, const std::function<void()>& look) {
  std::optional<py::error_already_set> raised;
  std::exception_ptr failure;
  {
    const py::gil_scoped_release unlocked;
    Worker worker(work);
    while (!worker.wait_a_while()) {
      const py::gil_scoped_acquire lock;
      if (raised) continue;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (look) look();
      } catch (py::error_already_set& error) {
        raised.emplace(error);
        worker.stop();
      }
    }
    failure = worker.failure();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cospot::bindings
