#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"

namespace cospot {

/// The fate of the hosts that a filter does not pass.
enum class FilterMode : std::uint8_t {
  kDrop,    ///< they are out, as in Nova
  kPrefer,  ///< they rank after every host that passes: a filter with a fallback
};

/// The part of a request, apart from its size, that a filter looks at, if that is all it looks at.
enum class FilterScope : std::uint8_t {
  kAny,    ///< whatever it likes
  kPlace,  ///< Placement::rules, and of the host its place; without rules all hosts pass
  kGroup,  ///< Placement::group and the host; without a group all hosts pass
};

/// Decides which hosts may take a request. Const, without state between calls.
class Filter {
 public:
  virtual ~Filter() = default;

  /// Sets `passes[i]` to 1 when `candidates[i]` passes, else to 0. The spans have one length.
  virtual void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                          const Request& request, std::span<std::uint8_t> passes) const = 0;

  [[nodiscard]] virtual FilterMode mode() const { return FilterMode::kDrop; }

  /// The instances besides which a host must have capacity, if the filter passes exactly those
  /// hosts. A chain of such filters can keep its hosts in order (core/ranking/keyed_ranking.hpp).
  [[nodiscard]] virtual std::optional<Sees> needs_room_beside() const { return std::nullopt; }

  /// The properties on which a dropping filter depends. With filters of places and groups, a chain
  /// can still keep its hosts in order (core/ranking/constrained_ranking.hpp).
  [[nodiscard]] virtual FilterScope scope() const { return FilterScope::kAny; }
};

/// Lets a plugin write Nova's one-host method, `bool host_passes(HostRow, const Request&) const`,
/// and inlines it into the loop over a batch.
template <class T>
class PerHostFilter : public Filter {
 public:
  void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override {
    const T& self = static_cast<const T&>(*this);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      passes[i] = self.host_passes(hosts[candidates[i]], request) ? 1 : 0;
    }
  }
};

}  // namespace cospot
