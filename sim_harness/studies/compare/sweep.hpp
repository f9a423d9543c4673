#pragma once

#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// The values of every axis of a comparison; the runs are their cross product (SweepGrid).
using Sweep = ProviderSettings;

}  // namespace cospot
