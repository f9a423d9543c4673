#include "sim_harness/results/csv_sink.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/results/revenue_text.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader =
    "workload,headroom_percent,vm,spot,evictor,saf,otn,hosts,vm_requests,vm_rejected,"
    "spot_requests,spot_admitted,evictions,vm_revenue_requested,vm_revenue,"
    "spot_revenue_requested,spot_revenue,alloc_p50_ns,alloc_p99_ns,alloc_max_ns,wall_ms,"
    "vm_too_large,spot_revenue_first_hour_free\n";

std::string csv_line(const ResultRow& row, Timing timing) {
  const RunResult result = with_timing(row.result, timing);
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{},{}\n", row.workload,
      row.headroom_percent ? fmt::format("{}", *row.headroom_percent) : "", row.vm, row.spot,
      row.evictor, row.saf ? 1 : 0, row.otn.label(), result.hosts, result.vm_requests,
      result.vm_rejected, result.spot_requests, result.spot_admitted, result.evictions,
      revenue_text(result.vm_revenue_requested), revenue_text(result.vm_revenue),
      revenue_text(result.spot_revenue_requested), revenue_text(result.spot_revenue),
      result.alloc_p50_ns, result.alloc_p99_ns, result.alloc_max_ns, result.wall_ms,
      result.vm_too_large, revenue_text(result.spot_revenue_first_hour_free));
}

[[noreturn]] void throw_cannot_write(const fs::path& file, int error) {
  throw InputError(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(error)));
}

/// Tells whether `file` is a pipe, a terminal or a link (/dev/stdout): nothing to put a new file
/// in the place of.
bool is_written_in_place(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

fs::path temporary_beside(const fs::path& file) {
  fs::path temporary = file;
  temporary += fmt::format(".{}.partial", getpid());
  return temporary;
}

/// Writes all of `text`; gives 0 or the error number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_file(const fs::path& file, std::string_view text, int flags) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, text);
  // A pipe or a terminal cannot be synchronised; only a file's content could still be lost.
  if (error == 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) error = errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

RunResult with_timing(const RunResult& result, Timing timing) {
  if (timing == Timing::kOn) return result;
  RunResult untimed = result;
  untimed.alloc_p50_ns = 0;
  untimed.alloc_p99_ns = 0;
  untimed.alloc_max_ns = 0;
  untimed.wall_ms = 0;
  return untimed;
}

std::string csv_text(std::span<const ResultRow> rows, Timing timing) {
  std::string text(kHeader);
  for (const ResultRow& row : rows) text += csv_line(row, timing);
  return text;
}

void write_csv(const fs::path& file, std::span<const ResultRow> rows, Timing timing) {
  const std::string text = csv_text(rows, timing);
  if (is_written_in_place(file)) {
    if (const int error = write_file(file, text, 0)) throw_cannot_write(file, error);
    return;
  }
  const fs::path temporary = temporary_beside(file);
  int error = write_file(temporary, text, O_CREAT | O_TRUNC);
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw_cannot_write(file, error);
}

void require_csv_writable(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) throw_cannot_write(file, EISDIR);
  if (is_written_in_place(file)) return;
  const fs::path temporary = temporary_beside(file);
  const int error = write_file(temporary, "", O_CREAT | O_TRUNC);
  fs::remove(temporary, ignored);
  if (error != 0) throw_cannot_write(file, error);
}

}  // namespace cospot
