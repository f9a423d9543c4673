#pragma once

#include <string>
#include <vector>

#include "tests/cpp/reference_simulator.hpp"

namespace cospot::reference {

/// Every combination of the paper's policies and first fit, FIFO, YJF, LPO and LPML, SAF, and OTN
/// 1, 2, 3 and more than there are hosts: 896 settings.
[[nodiscard]] std::vector<Settings> settings_grid(const ResourceVector& host, std::size_t hosts);

/// For messages, such as "COS sDPD LPO SAF OTN 3".
[[nodiscard]] std::string describe(const Settings& settings);

}  // namespace cospot::reference
