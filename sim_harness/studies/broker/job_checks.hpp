#pragma once

#include <string>
#include <vector>

#include "sim_harness/studies/broker/broker_settings.hpp"

namespace cospot {

/// Refuses jobs that fit on no type of a set of markets, or that no type could finish within ten
/// times the time for which there are prices. Errors: ConfigError that starts with the jobs' label.
void check_jobs(const LoadedJobs& jobs, const std::string& label, const MarketSet& markets,
                const std::string& markets_label, const JobModel& model);

/// Says which jobs decide a recommendation though they may be slips: those that are late on every
/// type, and one that is most of all work.
[[nodiscard]] std::vector<std::string> job_cautions(const LoadedJobs& jobs,
                                                    const MarketSet& markets,
                                                    const JobModel& model);

}  // namespace cospot
