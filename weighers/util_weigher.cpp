#include "weighers/util_weigher.hpp"

namespace cospot {

template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, UtilWeigher<PolicyVariant::kVmAvoiding>>(
    const PluginOptions&);

}  // namespace cospot
