#include "weighers/util_weigher.hpp"

#include <string>

#include "core/errors.hpp"

namespace cospot {

UtilMeasure read_util_measure(const PluginOptions& options, std::string_view policy) {
  const std::string measure = options.read_string("measure", "left");
  options.reject_unknown();
  if (measure == "left") return UtilMeasure::kLeft;
  if (measure == "used") return UtilMeasure::kUsed;
  if (measure == "fraction") return UtilMeasure::kFraction;
  throw ConfigError(std::string(policy) + ": measure is '" + measure +
                    "', expected one of: left, used, fraction");
}

template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kVmAvoiding>>(
    const PluginOptions&);

}  // namespace cospot
