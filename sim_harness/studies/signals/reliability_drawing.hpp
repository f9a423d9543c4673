#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cospot {

/// A decile of forecasts, as a point of a reliability diagram.
struct ReliabilityPoint {
  double cases = 0;
  double forecast = 0;
  double observed = 0;
};

/// The reliability diagram of a signal.
struct ReliabilityPanel {
  std::string title;
  std::vector<ReliabilityPoint> points{};  ///< of deciles with cases
};

/// Panels beside each other as SVG: how often it happened (up) by what was forecast (right). On the
/// diagonal a forecast is right; a point's area grows with its cases, and is hollow where they are
/// few. A title on every point tells its numbers.
[[nodiscard]] std::string reliability_svg(const std::vector<ReliabilityPanel>& panels);

}  // namespace cospot
