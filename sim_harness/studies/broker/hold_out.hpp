#pragma once

#include <optional>
#include <string>

#include "sim_harness/studies/broker/broker_settings.hpp"

namespace cospot {

/// A price history in two parts: settings are chosen on the first, and the rest shows what they
/// cost on days that played no part in the choice. After the end of a part its prices come again,
/// once, for jobs that are not done by then.
struct HistoryParts {
  BrokerInputs choosing;                 ///< all of the history, unless some of it is held out
  std::optional<BrokerInputs> held_out;  ///< none: nothing is held out
  double choosing_days = 0, held_out_days = 0;
  std::string too_short{};  ///< says why nothing is held out though it was asked for
};

/// Holds out the last `percent` of the history of the first markets, for the first jobs, if each
/// part has the time for these: a week, or the days of the jobs and the longest run time if that is
/// more. The first part begins with another week, at which bids look. 0: nothing.
[[nodiscard]] HistoryParts split_history(const BrokerStudySettings& settings,
                                         const BrokerInputs& inputs, double percent);

}  // namespace cospot
