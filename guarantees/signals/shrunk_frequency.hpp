#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace cospot {

/// Learns how often an event happens in cases like one at hand. Cases are grouped by what is known
/// of them, first by the most telling feature, then by the next one inside each group, and so on.
///
/// The estimate of a group is its own frequency, drawn towards that of the group it lies in as if
/// that had been seen in `weight` further cases: (happened + weight * outer) / (cases + weight). So
/// a group that was never seen says what the one around it says. That is the mean of a Beta
/// distribution whose prior mean is the outer group's. The outermost prior is the caller's, and
/// counts as one case.
class ShrunkFrequency {
 public:
  /// A case: the bin of each feature, the most telling first. All cases have as many.
  using Bins = std::span<const std::uint16_t>;

  void add(Bins bins, bool happened);

  /// Args: prior: what is expected before anything was seen.
  [[nodiscard]] double estimate(Bins bins, double prior, double weight) const;

 private:
  struct Group {
    double cases = 0;
    double happened = 0;
  };
  Group all_;
  std::unordered_map<std::uint64_t, Group> groups_;  // by the bins that lead there; never iterated
};

}  // namespace cospot
