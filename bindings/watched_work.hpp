#pragma once

#include <functional>
#include <optional>
#include <utility>

namespace cospot::bindings {

/// Runs long work on a thread of its own while the calling thread, which has Python's lock, lets
/// signal handlers run: Ctrl-C ends the work through its StopToken and raises KeyboardInterrupt.
/// `look` is called now and then with the lock; what it raises ends the work too. Rethrows what
/// ended the work. `work` runs without the lock.
void run_watched(const std::function<void()>& work, const std::function<void()>& look = {});

/// The same for work that returns something.
template <class Work>
auto watched(Work&& work) {
  std::optional<decltype(work())> made;
  run_watched([&] { made.emplace(work()); });
  return std::move(*made);
}

}  // namespace cospot::bindings
