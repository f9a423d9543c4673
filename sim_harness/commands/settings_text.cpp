#include "sim_harness/commands/settings_text.hpp"

#include <fmt/format.h>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {

std::string host_text(const ResourceVector& host, const VcpusUnit& unit) {
  return size_text(size_words(unit), host.vcpus, host.memory_mb, host.disk_gb);
}

std::string window_text(const Workload& workload) {
  if (workload.window == kDefaultWindow && !workload.window_is_stated) return {};
  return fmt::format("window    {} days\n", window_days_text(workload.window));
}

}  // namespace cospot
