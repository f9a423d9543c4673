#include "sim_harness/data/imports/request_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

RequestScan::RequestScan(const ImportPlan& plan, const std::vector<std::filesystem::path>& files,
                         std::vector<SimTime> ends)
    : plan_(&plan), files_(&files), known_ends_(std::move(ends)) {}

void RequestScan::run(const Take& take) {
  if (plan_->shape.kind == TableShape::Kind::kKubernetes) {
    auto table = open_kubernetes(*files_);
    observe(*table, files_->front());
    table = sized(std::move(table), files_->front());
    return scan(*table, files_->front(), take);
  }
  for (const std::filesystem::path& file : *files_) {
    auto table = open_table(file, plan_->shape);
    observe(*table, file);
    table = sized(std::move(table), file);
    scan(*table, file, take);
  }
}

void RequestScan::observe(const ImportTable& table, const std::filesystem::path& file) {
  const std::string next_page = table.next_page();
  if (next_page.empty()) has_last_page_ = true;
  if (!next_page.empty() && next_page_.empty()) {
    next_page_ = fmt::format("{}: {}", file.string(), next_page);
  }
  std::ranges::copy(table.hosts(), std::back_inserter(hosts_));
  std::optional<Observation> seen = table.observation();
  if (seen && observation_) {
    seen->first = std::min(seen->first, observation_->first);
    seen->last = std::max(seen->last, observation_->last);
  }
  if (seen) observation_ = std::move(seen);
}

std::unique_ptr<ImportTable> RequestScan::sized(std::unique_ptr<ImportTable> table,
                                                const std::filesystem::path& file) const {
  if (plan_->flavors) return with_flavor_sizes(std::move(table), *plan_->flavors);
  if (!plan_->expects_flavors || !has_only_flavors(table->columns())) return table;
  throw ConfigError(fmt::format(
      "{}: has names of flavors, but no sizes; --flavors FILE gives them, with what `openstack "
      "flavor list --all -f json` prints",
      file.string()));
}

std::string RequestScan::missing_pages() const {
  if (!next_page_.empty() && !has_last_page_) {
    return fmt::format(
        "{} says that there is a next page, which is not among the files, so instances are "
        "missing; "
        "give all pages as files of one import",
        next_page_);
  }
  if (full_page_.empty()) return {};
  return fmt::format(
      "{} has exactly {} rows, as many as the API lists at once by default, so instances may be "
      "missing; openstack server list --limit -1 lists all",
      full_page_, plan_->rows_of_page);
}

void RequestScan::scan(ImportTable& table, const std::filesystem::path& file, const Take& take) {
  RequestReader reader(*plan_, table, placements_);
  const std::uint64_t rows_before = rows_;
  StopPoll poll;
  while (table.next()) {
    poll.check();
    ++rows_;
    switch (reader.read(table)) {
      case RowRole::kLeftOut:
        ++left_out_;
        break;
      case RowRole::kOver:
        ++over_;
        break;
      case RowRole::kResize:
        ++resizes_;
        break;
      case RowRole::kFault:
        add_fault(table, reader.fault_kind(), reader.fault());
        break;
      case RowRole::kRequest:
        take_request(table, reader.request(), reader.count(), take);
        break;
      case RowRole::kStart:
        take_start(table, reader.request(), take);
        break;
      case RowRole::kEnd:
        take_end(table, reader.request(), take);
        break;
    }
  }
  parts_of_rows_ += table.parts_of_rows();
  if (const std::optional<SimTime> until = table.starts_known_until()) {
    starts_known_until_ = std::max(starts_known_until_.value_or(*until), *until);
  }
  // Names of flavors are what the command line client prints, which has no links.
  const bool is_full = plan_->flavors && rows_ - rows_before == plan_->rows_of_page;
  if (is_full && table.next_page().empty() && full_page_.empty()) full_page_ = file.string();
}

void RequestScan::add_fault(const ImportTable& table, std::string_view kind,
                            const RowFault& fault) {
  faults_.add(table.place(), kind, fault);
}

void RequestScan::give(const WorkloadRow& request, const Take& take) {
  first_start_ = std::min(first_start_, request.start);
  last_start_ = std::max(last_start_, request.start);
  last_seen_ = std::max(last_seen_, request.start);
  if (request.end != kNever) {
    first_end_ = std::min(first_end_, request.end);
    last_seen_ = std::max(last_seen_, request.end);
  }
  take(request);
}

void RequestScan::take_request(const ImportTable& table, WorkloadRow& request, std::uint64_t count,
                               const Take& take) {
  if (++lives_[std::hash<std::string_view>{}(request.id)] > 1) {
    add_fault(table, "instance_id is not unique",
              {fmt::format("instance_id {} comes twice", quoted_excerpt(request.id)),
               "another in each row"});
    return;
  }
  if (count == 1) return give(request, take);
  const std::string id = request.id;
  for (std::uint64_t i = 1; i <= count; ++i) {
    request.id = fmt::format("{}/{}", id, i);
    give(request, take);
  }
}

void RequestScan::check_order(const ImportTable& table, SimTime time) {
  if (time < last_event_ && disorder_.empty()) disorder_ = table.place();
  if (time != last_event_) ties_.clear();
  last_event_ = std::max(last_event_, time);
  last_seen_ = std::max(last_seen_, time);
  if (disorder_.empty() || !has_ends_) return;
  throw WorkloadError(fmt::format(
      "{}: the event is earlier than the one before it, expected events in order of time; sort the "
      "rows first, in all files together",
      disorder_));
}

void RequestScan::take_start(const ImportTable& table, const WorkloadRow& request,
                             const Take& take) {
  check_order(table, request.start);
  if (running_.contains(request.id)) {
    ++left_out_;  // unless an end of the same time follows
    ties_[request.id].starts.push_back(request);
    return;
  }
  begin(request, take);
  const auto tie = ties_.find(request.id);
  if (tie == ties_.end() || tie->second.ends == 0) return;
  --tie->second.ends;
  --ends_without_start_;
  finish(request.id, request.start);
}

void RequestScan::take_end(const ImportTable& table, const WorkloadRow& request, const Take& take) {
  has_ends_ = true;
  check_order(table, request.start);
  if (!running_.contains(request.id)) {
    ++ends_without_start_;
    ++ties_[request.id].ends;
    return;
  }
  finish(request.id, request.start);
  const auto tie = ties_.find(request.id);
  if (tie == ties_.end() || tie->second.starts.empty()) return;
  --left_out_;
  begin(std::move(tie->second.starts.front()), take);
  tie->second.starts.pop_front();
}

void RequestScan::begin(WorkloadRow request, const Take& take) {
  const std::size_t life = found_ends_.size();
  running_.emplace(request.id, life);
  found_ends_.push_back(kNever);
  if (life < known_ends_.size()) request.end = known_ends_[life];
  const std::uint32_t times = ++lives_[std::hash<std::string_view>{}(request.id)];
  if (times > 1) request.id += fmt::format("#{}", times);
  give(request, take);
}

void RequestScan::finish(const std::string& id, SimTime time) {
  const auto running = running_.find(id);
  first_end_ = std::min(first_end_, time);
  found_ends_[running->second] = time;
  running_.erase(running);
}

}  // namespace cospot
