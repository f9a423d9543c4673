#pragma once

#include <cstddef>
#include <functional>

namespace cospot {

/// Does `work(0)` to `work(count - 1)` on up to `threads` threads, the caller's among them; each
/// takes the next number as soon as it is free. The caller's StopToken holds on all of them.
///
/// Once an exception leaves `work`, no further number is given out; when all threads have come
/// back, the first one is rethrown. When the StopToken asks, no further number is given out
/// either, and the function returns.
void work_in_parallel(std::size_t count, std::size_t threads,
                      const std::function<void(std::size_t)>& work);

}  // namespace cospot
