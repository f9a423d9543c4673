#include "sim_harness/commands/window_option.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/errors.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {

void WindowOption::add_to(CLI::App& command) {
  command.add_option("--window-days", days_,
                     "Count revenue and requests until this day, whatever sweep and file say");
}

std::optional<SimTime> WindowOption::window() const {
  if (!days_.has_value()) return std::nullopt;
  if (const std::optional<SimTime> window = parse_window_days(*days_)) return window;
  throw ConfigError(fmt::format("--window-days {}: expected {}", *days_, kWindowDaysExpected));
}

std::string WindowOption::text() const {
  return days_.has_value() ? " --window-days " + *days_ : std::string();
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "cospot: warning: {}\n", warning);
}

}  // namespace cospot
