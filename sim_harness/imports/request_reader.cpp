#include "sim_harness/imports/request_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/errors.hpp"
#include "sim_harness/files/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::uint64_t kMostAlike = 1'000'000;

const ImportTargetInfo& info_of(ImportTarget target) {
  return kImportTargetInfos[static_cast<std::size_t>(target)];
}

struct ValueText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return text; }
};

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// A name that a workload file can hold: its fields are not quoted.
std::string as_name(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; }, '_');
  return text;
}

}  // namespace

RequestReader::RequestReader(const ImportPlan& plan, const std::vector<std::string>& columns)
    : plan_(&plan), columns_(&columns), expressions_(columns) {
  for (const ImportTargetInfo& info : kImportTargetInfos) {
    const auto target = static_cast<std::size_t>(info.target);
    sources_[target] = find(plan.map[target], info.is_required);
  }
  spot_if_ = find(plan.spot_if, true);
  only_ = find(plan.only, false);
  start_when_ = find(plan.start_when, false);
  end_when_ = find(plan.end_when, false);
}

RequestReader::Source RequestReader::find(const PlannedExpression& planned, bool is_required) {
  std::string reason;
  for (const std::string& candidate : planned.candidates) {
    const auto column = std::ranges::find(*columns_, candidate);
    if (column != columns_->end()) {
      return {.column = static_cast<std::size_t>(column - columns_->begin())};
    }
    try {
      return {.expression = expressions_.add(planned.option, candidate)};
    } catch (const ConfigError& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  // A rule of a format without a column in this file is left aside; what the user asks for is not.
  const bool is_users =
      planned.candidates.size() == 1 && plan_->shape.kind == TableShape::Kind::kCsv;
  const bool names_itself = is_users && planned.option == "--map " + planned.candidates.front();
  if (!is_required && (!planned.is_given() || names_itself || !is_users)) return {};
  if (is_required && names_itself) {
    throw ConfigError(fmt::format("{}=COLUMN is missing; the columns are {}", planned.option,
                                  fmt::join(*columns_, ", ")));
  }
  throw ConfigError(reason);
}

bool RequestReader::holds(const Source& source) const {
  if (source.expression) return is_true(expressions_.value(*source.expression));
  const std::optional<double> number = number_of(std::string(table_->fields()[*source.column]));
  return number && *number != 0;
}

std::string RequestReader::text_of(ImportTarget target) const {
  const Source& source = sources_[static_cast<std::size_t>(target)];
  if (source.column) return std::string(table_->fields()[*source.column]);
  if (!source.expression) return {};
  return std::visit(ValueText{}, expressions_.value(*source.expression));
}

bool RequestReader::refuse(ImportTarget target, std::string_view expected) {
  const std::string text = text_of(target);
  const std::string_view name = info_of(target).name;
  fault_ = {text.empty() ? fmt::format("{} is empty", name)
                         : fmt::format("{} is {}", name, quoted_excerpt(text)),
            std::string(expected)};
  kind_ = fmt::format("{} is not {}", name, expected);
  return false;
}

RowRole RequestReader::read(const ImportTable& table) {
  table_ = &table;
  ++rows_;
  if (!table.fault().empty()) {
    fault_ = {table.fault(), ""};
    kind_ = table.fault_kind();
    return RowRole::kFault;
  }
  expressions_.evaluate(table.fields());
  if (!expressions_.fault().empty()) {
    fault_ = {expressions_.fault(), ""};
    kind_ = "rows of which an expression cannot be evaluated";
    return RowRole::kFault;
  }
  if (only_.is_given() && !holds(only_)) return RowRole::kLeftOut;
  if (!plan_->has_events()) return read_request() ? RowRole::kRequest : RowRole::kFault;
  if (holds(start_when_)) return read_request() ? RowRole::kStart : RowRole::kFault;
  if (!end_when_.is_given() || !holds(end_when_)) return RowRole::kLeftOut;
  return read_names() && read_start() ? RowRole::kEnd : RowRole::kFault;
}

bool RequestReader::read_request() {
  request_.instance_class = holds(spot_if_) ? InstanceClass::kSpot : InstanceClass::kVm;
  request_.resources = {};
  request_.end = kNever;
  count_ = 1;
  return read_names() && read_amount(ImportTarget::kVcpus, 1, request_.resources.vcpus) &&
         read_amount(ImportTarget::kMemoryMb, 0, request_.resources.memory_mb) &&
         read_amount(ImportTarget::kDiskGb, 0, request_.resources.disk_gb) && read_start() &&
         read_end() && read_count();
}

bool RequestReader::read_names() {
  const bool has_ids = sources_[static_cast<std::size_t>(ImportTarget::kId)].is_given();
  const bool has_tenants = sources_[static_cast<std::size_t>(ImportTarget::kTenant)].is_given();
  request_.id = has_ids ? as_name(text_of(ImportTarget::kId)) : fmt::format("row-{}", rows_);
  request_.tenant = has_tenants ? as_name(text_of(ImportTarget::kTenant)) : "all";
  if (request_.id.empty()) return refuse(ImportTarget::kId, "a name");
  if (request_.tenant.empty()) request_.tenant = "unknown";
  return true;
}

bool RequestReader::read_amount(ImportTarget target, ResourceAmount least, ResourceAmount& amount) {
  if (!sources_[static_cast<std::size_t>(target)].is_given()) return true;
  const std::optional<double> number = number_of(text_of(target));
  // A request needs room for all that it asks for, so parts of a unit count as one; but not the
  // last bit of a product such as 0.1 * 10000.
  constexpr double kRounding = 1 - 1e-12;
  const double whole = number ? std::ceil(*number * kRounding) : -1;
  const bool is_positive = number && (least == 0 ? *number >= 0 : *number > 0);
  // Written so that NaN fails it.
  if (!is_positive || !(whole <= kMaxResourceAmount)) {
    return refuse(target, fmt::format("a number {} 0, at most {}",
                                      least == 0 ? "from" : "more than", kMaxResourceAmount));
  }
  amount = static_cast<ResourceAmount>(whole);
  return true;
}

bool RequestReader::read_start() {
  const std::optional<SimTime> start = parse_time(text_of(ImportTarget::kStart), plan_->unit);
  if (!start || *start == kNever) return refuse(ImportTarget::kStart, time_expected(plan_->unit));
  request_.start = *start;
  return true;
}

bool RequestReader::read_end() {
  const std::string text = text_of(ImportTarget::kEnd);
  request_.end = kNever;
  if (text.empty() || text == "never" || text == "inf") return true;
  const std::optional<SimTime> read =
      plan_->end_is_duration ? parse_duration(text, plan_->unit) : parse_time(text, plan_->unit);
  if (!read) {
    return refuse(ImportTarget::kEnd, plan_->end_is_duration && plan_->unit == TimeUnit::kIso
                                          ? "a number of seconds, or nothing when it never ended"
                                          : fmt::format("{}, or nothing when it never ended",
                                                        time_expected(plan_->unit)));
  }
  if (*read == kNever) return true;
  if (plan_->end_is_duration && *read < SimTime(0)) {
    return refuse(ImportTarget::kEnd, "a duration from 0");
  }
  request_.end = plan_->end_is_duration ? request_.start + *read : *read;
  if (request_.end < request_.start) return refuse(ImportTarget::kEnd, "a time from start_s on");
  return true;
}

bool RequestReader::read_count() {
  if (!sources_[static_cast<std::size_t>(ImportTarget::kCount)].is_given()) return true;
  const std::optional<double> number = number_of(text_of(ImportTarget::kCount));
  const bool is_fit = number && *number >= 1 && *number <= static_cast<double>(kMostAlike) &&
                      *number == std::floor(*number);
  if (!is_fit) return refuse(ImportTarget::kCount, "a whole number from 1 to 1000000");
  count_ = static_cast<std::uint64_t>(*number);
  return true;
}

}  // namespace cospot
