#include "sim_harness/studies/signals/reliability_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "guarantees/signals/forecast_score.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/html_text.hpp"

namespace cospot {
namespace {

constexpr int kSide = 150;   // of a panel's square
constexpr int kMargin = 36;  // for axes and title
constexpr int kColumns = 4;
constexpr int kPanel = kSide + 2 * kMargin;
constexpr double kLeastRadius = 2;
constexpr double kMostRadius = 9;

std::string point_svg(const ReliabilityPoint& point, double most_cases) {
  const double radius =
      kLeastRadius + (kMostRadius - kLeastRadius) * std::sqrt(point.cases / most_cases);
  const bool is_few = point.cases < static_cast<double>(kFewCases);
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.6\" "
      "stroke=\"currentColor\"><title>forecast {:.1f}%, happened in {:.1f}% of {} cases</title>"
      "</circle>\n",
      kMargin + point.forecast * kSide, kMargin + (1 - point.observed) * kSide, radius,
      is_few ? "none" : "currentColor", 100 * point.forecast, 100 * point.observed,
      count_text(std::llround(point.cases)));
}

std::string text_svg(double x, double y, const char* anchor, std::string_view text) {
  return fmt::format(
      "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\" font-size=\"12\" "
      "fill=\"currentColor\">{}</text>\n",
      x, y, anchor, html_text(text));
}

std::string panel_svg(const ReliabilityPanel& panel) {
  constexpr double kMiddle = kMargin + kSide / 2.0;
  constexpr double kEnd = kMargin + kSide;
  std::string svg = text_svg(kMiddle, kMargin - 12, "middle", panel.title);
  svg += fmt::format(
      "<rect x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\" fill=\"none\" "
      "stroke=\"currentColor\" stroke-opacity=\"0.4\"/>\n"
      "<line x1=\"{0}\" y1=\"{2}\" x2=\"{2}\" y2=\"{0}\" stroke=\"currentColor\" "
      "stroke-opacity=\"0.4\" stroke-dasharray=\"4 3\"/>\n",
      kMargin, kSide, kMargin + kSide);
  svg += text_svg(kMargin, kEnd + 15, "middle", "0%") + text_svg(kEnd, kEnd + 15, "middle", "100%");
  svg += text_svg(kMargin - 4, kMargin + 4, "end", "100%");
  svg += text_svg(kMiddle, kEnd + 28, "middle", "forecast");
  double most = 1;
  for (const ReliabilityPoint& point : panel.points) most = std::max(most, point.cases);
  for (const ReliabilityPoint& point : panel.points) svg += point_svg(point, most);
  return svg;
}

}  // namespace

std::string reliability_svg(const std::vector<ReliabilityPanel>& panels) {
  if (panels.empty()) return {};
  const int columns = std::min(kColumns, static_cast<int>(panels.size()));
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"Reliability diagrams: "
      "how often it happened, by what was forecast\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n",
      columns * kPanel, rows * kPanel);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const int at = static_cast<int>(i);
    svg += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", at % columns * kPanel,
                       at / columns * kPanel, panel_svg(panels[i]));
  }
  return svg + "</svg>\n";
}

}  // namespace cospot
