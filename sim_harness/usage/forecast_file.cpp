#include "sim_harness/usage/forecast_file.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::string_view kHeader = "key,method,model,note,step,point,sigma";
constexpr std::size_t kColumns = 7;

enum Field : std::size_t { kKey, kMethod, kModel, kNote, kStep, kPoint, kSigma };

std::string values_text(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{}", text.empty() ? "" : " ", value);
  return text;
}

std::array<std::string_view, kColumns> split(std::string_view line, const LineReader& reader) {
  std::array<std::string_view, kColumns> fields;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == kColumns)) {
      reader.fail(fmt::format("not 7 fields, expected {}", kHeader));
    }
    fields[i] = line.substr(0, comma);
    line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  }
  return fields;
}

double read_number(std::string_view text, double least, const char* column,
                   const LineReader& reader) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // Written so that NaN fails.
  if (error == std::errc() && stop == end && value >= least && std::isfinite(value)) return value;
  reader.fail(fmt::format("{} is {}, expected a finite number{}", column, quoted_excerpt(text),
                          least == 0 ? " from 0" : ""));
}

}  // namespace

std::string ForecastTask::key() const {
  return sha256_hex(fmt::format("cospot forecast 1\n{}\n{}\n{}\n{}\n", method, season, horizon,
                                values_text(training)));
}

std::string forecast_tasks_text(std::span<const ForecastTask> tasks) {
  std::string text;
  for (const ForecastTask& task : tasks) {
    text += fmt::format("{},{},{},{},{}\n", task.key(), task.method, task.season, task.horizon,
                        values_text(task.training));
  }
  return text;
}

ForecastTable read_forecasts(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next(line) || line != kHeader) {
    throw WorkloadError(fmt::format("{}:1: is no file of forecasts, expected the header line {}",
                                    file.string(), kHeader));
  }
  ForecastTable forecasts;
  while (reader.next(line)) {
    const auto fields = split(line, reader);
    Forecast& forecast = forecasts[std::string(fields[kKey])];
    if (fields[kStep] != fmt::format("{}", forecast.point.size() + 1)) {
      reader.fail(fmt::format("step is {}, expected {}", quoted_excerpt(fields[kStep]),
                              forecast.point.size() + 1));
    }
    forecast.model = fields[kModel];
    forecast.note = fields[kNote];
    forecast.point.push_back(read_number(fields[kPoint], -1e300, "point", reader));
    forecast.sigma.push_back(read_number(fields[kSigma], 0, "sigma", reader));
  }
  return forecasts;
}

std::string forecast_text(std::string_view key, std::string_view method, const Forecast& forecast) {
  std::string text = fmt::format("{}\n", kHeader);
  for (std::size_t i = 0; i < forecast.point.size(); ++i) {
    text += fmt::format("{},{},{},{},{},{},{}\n", key, method, forecast.model, forecast.note, i + 1,
                        forecast.point[i], forecast.sigma[i]);
  }
  return text;
}

}  // namespace cospot
