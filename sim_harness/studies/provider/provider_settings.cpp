#include "sim_harness/studies/provider/provider_settings.hpp"

#include <fmt/core.h>

#include "core/errors.hpp"
#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/engine/spot_forecasts.hpp"

namespace cospot {

void refuse_forecasts(const ConfigNode& root, std::string_view key,
                      const std::vector<ChainSpec>& chains, std::string_view study) {
  for (const ChainSpec& chain : chains) {
    if (!needs_spot_forecasts(chain)) continue;
    throw ConfigError(fmt::format(
        "{}: {} needs a forecast of lifetimes or revocations, which the study {} does not "
        "make; expected it in study compare",
        key_place(*root.find(key), key), chain.label, study));
  }
}

}  // namespace cospot
