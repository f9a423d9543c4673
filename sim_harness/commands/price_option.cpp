#include "sim_harness/commands/price_option.hpp"

#include "sim_harness/commands/window_option.hpp"

namespace cospot {

CLI::Option* PriceOption::add_to(CLI::App& command) {
  return command
      .add_option("--price", texts_,
                  "on-demand=P,spot=P, prices of a vCPU-hour, with economy=P and currency=NAME if "
                  "wanted, or a CSV by flavor: put money beside shares")
      ->allow_extra_args(false);
}

std::optional<PriceList> PriceOption::prices() const {
  std::optional<PriceList> list = read_price_list(texts_);
  if (list && !is_questioned_) print_warnings(list->warnings());
  is_questioned_ = true;
  return list;
}

std::optional<VcpuHourPrices> PriceOption::of(const Workload& workload,
                                              const WorkloadSpec& spec) const {
  const std::optional<PriceList> list = prices();
  if (!list) return std::nullopt;
  return list->of(workload, vcpus_unit_of(spec));
}

}  // namespace cospot
