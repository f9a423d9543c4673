#include "sim_harness/data/workloads/eucalyptus_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"

namespace cospot {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return words;
    line.remove_prefix(first);
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

class TraceParser {
 public:
  explicit TraceParser(std::string_view file) : file_(file) {}

  void read_line(std::string_view line) {
    ++line_;
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) return;
    if (words[0] == "START" && words.size() == 5) {
      start(words);
    } else if (words[0] == "STOP" && words.size() == 3) {
      stop(words);
    } else {
      fail(fmt::format("found {}, expected 'START time id node cores' or 'STOP time id'",
                       quoted_excerpt(line)));
    }
  }

  /// The window reaches past the last event, so that a start in the last line is inside.
  [[nodiscard]] Workload finish() {
    if (workload_.rows.empty())
      fail("no instance starts, expected lines 'START time id node cores'");
    workload_.window = last_ + SimTime(1);
    return std::move(workload_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw WorkloadError(fmt::format("{}:{}: {}", file_, line_, what));
  }

  SimTime read_time(std::string_view text) {
    const std::optional<SimTime> time = parse_seconds(text);
    if (!time || *time < SimTime{0}) {
      fail(fmt::format("the time is {}, expected seconds since the trace began",
                       quoted_excerpt(text)));
    }
    if (*time < last_) {
      fail(fmt::format("time goes backwards: {} s after {} s", seconds_text(*time),
                       seconds_text(last_)));
    }
    return last_ = *time;
  }

  void start(const std::vector<std::string_view>& words) {
    WorkloadRow row{.id = std::string(words[2])};
    row.start = read_time(words[1]);
    const std::optional<ResourceAmount> cores = parse_amount(words[4], 1);
    if (!cores) {
      fail(fmt::format("cores is {}, expected a whole number of at least 1",
                       quoted_excerpt(words[4])));
    }
    row.resources.vcpus = *cores;
    if (!running_.emplace(row.id, workload_.rows.size()).second) {
      fail(fmt::format("START of {}, which runs already", quoted_excerpt(words[2])));
    }
    workload_.rows.push_back(std::move(row));
  }

  void stop(const std::vector<std::string_view>& words) {
    const SimTime time = read_time(words[1]);
    const auto found = running_.find(std::string(words[2]));
    if (found == running_.end()) {
      fail(fmt::format("STOP of {}, which does not run: no START before it",
                       quoted_excerpt(words[2])));
    }
    workload_.rows[found->second].end = time;
    running_.erase(found);
  }

  std::string_view file_;
  std::size_t line_ = 0;
  SimTime last_{0};
  Workload workload_;
  std::unordered_map<std::string, std::size_t> running_;  // its row; never iterated
};

}  // namespace

Workload parse_eucalyptus_trace(std::string_view text, std::string_view name) {
  TraceParser parser(name);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    parser.read_line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  Workload workload = parser.finish();
  workload.name = std::string(name);
  workload.sha256 = sha256_hex(text);
  return workload;
}

Workload read_eucalyptus_trace(const std::filesystem::path& path) {
  const std::string bytes = read_stored_file(path);
  TraceParser parser(path.native());
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) parser.read_line(line);
  Workload workload = parser.finish();
  workload.name = path.string();
  workload.sha256 = sha256_hex(bytes);
  return workload;
}

std::string eucalyptus_trace_text(const Workload& workload) {
  struct Event {
    SimTime time;
    bool is_start;
    std::size_t row;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    events.push_back({workload.rows[i].start, true, i});
    if (workload.rows[i].end != kNever) events.push_back({workload.rows[i].end, false, i});
  }
  // Stops before starts, but none before its own start.
  std::ranges::stable_sort(events, [&](const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    const auto ends_at_once = [&](const Event& event) {
      return !event.is_start && workload.rows[event.row].start == event.time;
    };
    const auto order = [&](const Event& event) {
      return event.is_start ? 1 : ends_at_once(event) ? 2 : 0;
    };
    return order(a) < order(b);
  });
  std::string text;
  for (const auto& [time, is_start, row] : events) {
    const WorkloadRow& vm = workload.rows[row];
    text += is_start ? fmt::format("START {} {} node {}\n", seconds_text(time), vm.id,
                                   vm.resources.vcpus)
                     : fmt::format("STOP {} {}\n", seconds_text(time), vm.id);
  }
  return text;
}

bool is_eucalyptus_trace(const std::filesystem::path& path) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    return words[0] == "START" || words[0] == "STOP";
  }
  return false;
}

}  // namespace cospot
