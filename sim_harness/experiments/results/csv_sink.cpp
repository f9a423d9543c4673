#include "sim_harness/experiments/results/csv_sink.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/errors.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

void add_line(std::string& text, const Schema& schema, const Row& row, Timing timing) {
  std::size_t position = 0;
  bool is_first = true;
  for (const std::vector<Column>* part : {&schema.axes, &schema.measures}) {
    for (const Column& column : *part) {
      const Value& value = row.values.at(position++);
      if (!column.is_in_csv()) continue;
      if (!is_first) text += ',';
      is_first = false;
      text += csv_value(column, with_timing(column, value, timing));
    }
  }
  text += '\n';
}

std::string header(const Schema& schema) {
  std::string text;
  for (const Column& column : schema.columns()) {
    if (column.is_in_csv()) text += (text.empty() ? "" : ",") + column.name;
  }
  return text + "\n";
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

/// Writes a file that is there as a whole or not at all.
void write_whole(const fs::path& file, const std::string& text) {
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

}  // namespace

Value with_timing(const Column& column, const Value& value, Timing timing) {
  if (timing == Timing::kOn || column.role != ColumnRole::kTime) return value;
  if (column.type == ColumnType::kNumber) return 0.0;
  return std::int64_t{0};
}

std::string csv_text(const Schema& schema, std::span<const Row> rows, Timing timing) {
  std::string text = header(schema);
  for (const Row& row : rows) add_line(text, schema, row, timing);
  return text;
}

std::string csv_text(ResultsDatabase& results, Timing timing) {
  std::string text = header(results.schema());
  results.for_each_row([&](const Row& row) { add_line(text, results.schema(), row, timing); });
  return text;
}

std::string timeline_csv_text(ResultsDatabase& results) {
  const Schema& schema = results.schema();
  if (schema.timeline.empty()) {
    throw DatabaseError(results.name() +
                        ": has no timeline: its runs keep none; expected results of `cospot "
                        "compare --timeline`");
  }
  std::string text = "run_index";
  for (const std::vector<Column>* part : {&schema.axes, &schema.timeline}) {
    for (const Column& column : *part) text += "," + column.name;
  }
  text += "\n";
  results.for_each_row([&](const Row& row) {
    std::string run = fmt::format("{}", row.run_index);
    for (std::size_t i = 0; i < schema.axes.size(); ++i) {
      run += "," + csv_value(schema.axes[i], row.values[i]);
    }
    for (const std::vector<Value>& values : results.timeline_of(row.run_index)) {
      text += run;
      for (std::size_t i = 0; i < values.size(); ++i) {
        text += "," + csv_value(schema.timeline[i], values[i]);
      }
      text += "\n";
    }
  });
  return text;
}

void write_csv(const fs::path& file, ResultsDatabase& results, Timing timing) {
  write_whole(file, csv_text(results, timing));
}

void write_timeline_csv(const fs::path& file, ResultsDatabase& results) {
  write_whole(file, timeline_csv_text(results));
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
