#include "sim_harness/data/traces/trace_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {
namespace {

std::string value_text(const TraceValue& value) {
  struct Text {
    std::string operator()(std::monostate) const { return "empty"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(std::string_view text) const {
      return find_non_text(text) == std::string_view::npos ? quoted_excerpt(text) : "not text";
    }
  };
  return std::visit(Text{}, value);
}

std::string unexpected(std::string_view column, const TraceValue& value,
                       std::string_view expected) {
  return fmt::format("{} is {}, expected {}", column, value_text(value), expected);
}

/// Whole numbers may have been stored as floating point; 2^53 bounds those that are exact.
bool read_whole(const TraceValue& value, std::int64_t& number) {
  constexpr double kMostExact = 9007199254740992.0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    number = *whole;
    return true;
  }
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr || !(std::abs(*real) <= kMostExact) || *real != std::floor(*real)) {
    return false;
  }
  number = static_cast<std::int64_t>(*real);
  return true;
}

bool read_real(const TraceValue& value, double& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*whole);
    return true;
  }
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr) return false;
  number = *real;
  return true;
}

/// Days, as a workload file that writes them would be read.
bool read_days(const TraceValue& value, SimTime& time) {
  double days = 0;
  if (!read_real(value, days) || !std::isfinite(days)) return false;
  const std::optional<SimTime> found = Decimal::of(days).days(kMaxWorkloadTime);
  if (found) time = *found;
  return found.has_value();
}

/// An end that is NULL, or infinite as in the CoSpot release, has not been seen.
bool is_never(const TraceValue& value) {
  const auto* real = std::get_if<double>(&value);
  return std::holds_alternative<std::monostate>(value) ||
         (real != nullptr && *real > 0 && std::isinf(*real));
}

std::string read_times(const TraceValue& start, const TraceValue& end, TraceRequest& request) {
  constexpr std::string_view kDays = "days from -10000 to 10000";
  if (!read_days(start, request.start)) return unexpected(kRequestColumns[4], start, kDays);
  request.end = kNever;
  if (!is_never(end) && !read_days(end, request.end)) {
    return unexpected(kRequestColumns[5], end,
                      fmt::format("{}, or nothing when it never ended", kDays));
  }
  if (request.end < request.start) {
    return fmt::format("endtime {} is before starttime {}", value_text(end), value_text(start));
  }
  return {};
}

}  // namespace

std::string read_trace_request(std::span<const TraceValue> values, TraceRequest& request) {
  const std::array<std::int64_t*, 3> ids{&request.id, &request.tenant, &request.vm_type};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!read_whole(values[i], *ids[i])) {
      return unexpected(kRequestColumns[i], values[i], "a whole number");
    }
  }
  std::int64_t priority = 0;
  if (!read_whole(values[3], priority) || (priority != 0 && priority != 1)) {
    return unexpected(kRequestColumns[3], values[3], "0 (VM) or 1 (spot)");
  }
  request.instance_class = priority == 1 ? InstanceClass::kSpot : InstanceClass::kVm;
  return read_times(values[4], values[5], request);
}

std::string read_type_share(std::span<const TraceValue> values, TypeShare& share) {
  const std::array<std::int64_t*, 2> ids{&share.vm_type, &share.machine_type};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!read_whole(values[i], *ids[i])) {
      return unexpected(kShareColumns[i], values[i], "a whole number");
    }
  }
  const std::array<double*, 2> amounts{&share.cores, &share.memory};
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const TraceValue& value = values[i + 2];
    // Written so that NaN fails it.
    if (!read_real(value, *amounts[i]) || !(*amounts[i] > 0 && *amounts[i] <= 1)) {
      return unexpected(kShareColumns[i + 2], value,
                        "a fraction of the machine, more than 0, at most 1");
    }
  }
  return {};
}

TraceValue parse_trace_value(std::string_view field) {
  if (field.empty()) return std::monostate{};
  if (const auto whole = parse_integer<std::int64_t>(field)) return *whole;
  if (const auto number = parse_number(field)) return *number;
  if (field == "inf") return std::numeric_limits<double>::infinity();
  return field;
}

void sort_shares(std::vector<TypeShare>& shares, std::string_view place) {
  if (shares.empty()) throw WorkloadError(fmt::format("{}: there are no rows", place));
  const auto key = [](const TypeShare& share) {
    return std::tuple(share.vm_type, share.machine_type);
  };
  std::ranges::sort(shares, {}, key);
  const auto twice = std::ranges::adjacent_find(shares, {}, key);
  if (twice == shares.end()) return;
  throw WorkloadError(fmt::format("{}: vmTypeId {} comes twice with machineId {}, expected one row",
                                  place, twice->vm_type, twice->machine_type));
}

}  // namespace cospot
