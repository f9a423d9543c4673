#include "sim_harness/customer/broker/speedup.hpp"

namespace cospot {

double downey_speedup(double n, double a, double sigma) {
  if (sigma <= 1) {  // low variance
    if (n <= a) return a * n / (a + sigma * (n - 1) / 2);
    if (n <= 2 * a - 1) return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
    return a;
  }
  if (n <= a + a * sigma - sigma) return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
  return a;
}

}  // namespace cospot
