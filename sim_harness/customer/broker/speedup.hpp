#pragma once

namespace cospot {

/// The speedup of a job on n processors over one, given its average parallelism A >= 1 and the
/// variance sigma >= 0 of that: 1 on one processor, at most min(A, n).
///
/// Source: A. Downey, "A model for speedup of parallel programs", 1997.
[[nodiscard]] double downey_speedup(double n, double average_parallelism, double sigma);

}  // namespace cospot
