#include "weighers/cosine_weigher.hpp"

namespace cospot {

template std::unique_ptr<Weigher> make_plugin<Weigher, CosineWeigher<PolicyVariant::kVm>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, CosineWeigher<PolicyVariant::kSpot>>(
    const PluginOptions&);
template std::unique_ptr<Weigher> make_plugin<Weigher, CosineWeigher<PolicyVariant::kVmAvoiding>>(
    const PluginOptions&);

}  // namespace cospot
