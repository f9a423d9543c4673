#pragma once

#include <optional>

#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// IoOpsWeigher: the weight is the number of instances that are being built, resized or moved on
/// a host. With Nova's default multiplier, -1.0, the least busy host is best; a positive one
/// prefers the busiest.
///
/// Source: nova/scheduler/weights/io_ops.py.
class NovaIoOpsWeigher final : public PerHostWeigher<NovaIoOpsWeigher> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "IoOpsWeigher",
      .summary = "Most busy first; Nova's multiplier of -1.0 makes it least busy first.",
      .source = "nova/scheduler/weights/io_ops.py"};

  explicit NovaIoOpsWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    return host.num_io_ops();
  }

  [[nodiscard]] std::optional<double> minval() const override { return 0; }
};

}  // namespace cospot
