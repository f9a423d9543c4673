#pragma once

#include <fmt/core.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/model/host_table.hpp"
#include "core/policy/evictor.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/weigher.hpp"

namespace cospot::bindings {

// What a policy written in Python owes the engine, and what it is told when it does not keep it:
// the same sentences whether pybind11 or Boost.Python runs it. `policy` is its name in sweep files.
// All throw PolicyError.

template <class... Args>
[[noreturn]] void throw_fault(std::string_view policy, fmt::format_string<Args...> text,
                              Args&&... args) {
  throw PolicyError(
      fmt::format("policy '{}': {}", policy, fmt::format(text, std::forward<Args>(args)...)));
}

/// What tier() and mode() say, as text.
[[nodiscard]] Tier read_tier(std::string_view policy, std::string_view said);
[[nodiscard]] FilterMode read_mode(std::string_view policy, std::string_view said);

/// What `method` says, which must be finite.
[[nodiscard]] double require_finite(std::string_view policy, std::string_view method, double said);

/// Refuses NaN and infinity.
void check_weights(std::string_view policy, std::span<const HostIndex> candidates,
                   std::span<const double> weights);

/// What a batch method returned: an array of this shape with values of this NumPy kind (`f`, `i`,
/// `u`, `b`, ...), called `type`. `kinds` are those expected, `expected` their name.
struct ReturnedArray {
  std::size_t dimensions;
  std::size_t size;
  std::string shape;
  char kind;
  std::string type;
};
void check_array(std::string_view policy, std::string_view method, const ReturnedArray& array,
                 std::size_t candidates, std::string_view kinds, std::string_view expected);

/// One of the positions that make_plan returned. `position` is out of range when it is no
/// number of 64 bits.
[[nodiscard]] std::uint32_t read_victim(std::string_view policy, std::int64_t position,
                                        std::size_t spots);

/// Sorts the victims and refuses a plan that the handshake could not use.
void check_plan(std::string_view policy, const EvictionCase& eviction,
                bool victims_have_positive_cost, EvictionPlan& plan);

}  // namespace cospot::bindings
