#include "weighers/dpd_weigher.hpp"

namespace cospot {

template std::unique_ptr<Weigher> make_plugin<Weigher, DpdWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, DpdWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, DpdWeigher<PolicyVariant::kVmAvoiding>>(
    const PluginOptions&);

}  // namespace cospot
