#pragma once

namespace cospot {

/// How much faster than on one processor a job runs on n, by its average parallelism A >= 1 and the
/// variance sigma >= 0 of it: 1 on one processor, never more than A, nor than n.
///
/// Source: A. Downey, "A model for speedup of parallel programs", 1997.
[[nodiscard]] double downey_speedup(double n, double average_parallelism, double sigma);

}  // namespace cospot
