#pragma once

#include <cstddef>
#include <functional>

namespace cospot {

/// Calls `work(0)` to `work(count - 1)` on up to `threads` threads, including the caller's; each
/// takes the next number when it is free. The caller's StopToken applies to all of them.
///
/// After an exception in `work`, no further number is handed out; when all threads are done, the
/// first exception is rethrown. When the StopToken requests a stop, no further number is handed out
/// either, and the function returns.
void work_in_parallel(std::size_t count, std::size_t threads,
                      const std::function<void(std::size_t)>& work);

}  // namespace cospot
