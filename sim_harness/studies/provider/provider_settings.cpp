#include "sim_harness/studies/provider/provider_settings.hpp"

#include <fmt/core.h>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"

namespace cospot {

void refuse_spot_forecasts(const ConfigNode& root, std::string_view key,
                           const std::vector<ChainSpec>& chains) {
  for (const ChainSpec& chain : chains) {
    if (!needs_spot_forecasts(chain)) continue;
    throw ConfigError(fmt::format(
        "{}: {} goes by a forecast of spots' lifetimes or revocations, and places no spots; "
        "expected it in 'spot'",
        key_place(*root.find(key), key), chain.label));
  }
}

}  // namespace cospot
