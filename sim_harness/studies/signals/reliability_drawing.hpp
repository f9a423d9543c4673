#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cospot {

/// One decile of forecasts, a point of a reliability diagram.
struct ReliabilityPoint {
  double cases = 0;
  double forecast = 0;
  double observed = 0;
};

/// The reliability diagram of a signal.
struct ReliabilityPanel {
  std::string title;
  std::vector<ReliabilityPoint> points{};  ///< of non-empty deciles
};

/// Panels side by side as SVG: observed frequency (up) against forecast probability (right).
/// Forecasts on the diagonal are calibrated; a point's area grows with its number of cases, and it
/// is hollow if there are few. A title on every point shows its numbers.
[[nodiscard]] std::string reliability_svg(const std::vector<ReliabilityPanel>& panels);

}  // namespace cospot
