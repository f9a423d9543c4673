#include "sim_harness/commands/price_option.hpp"

namespace cospot {

CLI::Option* PriceOption::add_to(CLI::App& command) {
  return command
      .add_option("--price", texts_,
                  "on-demand=P and spot=P, prices of a vCPU-hour, or a CSV by flavor: put money "
                  "beside shares")
      ->allow_extra_args(false);
}

std::optional<VcpuHourPrices> PriceOption::of(const Workload& workload,
                                              const WorkloadSpec& spec) const {
  const std::optional<PriceList> list = prices();
  if (!list) return std::nullopt;
  return list->of(workload, vcpus_unit_of(spec));
}

}  // namespace cospot
