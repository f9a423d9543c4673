#include "sim_harness/data/downloads/http_download.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

#ifdef COSPOT_HAS_CURL

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "core/lower_case.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"

namespace cospot {
namespace {

constexpr long kOk = 200;
constexpr long kPartialContent = 206;
constexpr long kRangeNotSatisfiable = 416;

struct FreeCurl {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// The part of a response's header that matters here.
struct ResponseHeader {
  std::string etag;
  std::string last_modified;
  std::string content_range;

  /// The version for If-Range, which allows no weak ETag; empty: the server names none.
  [[nodiscard]] const std::string& validator() const {
    return etag.empty() || etag.starts_with("W/") ? last_modified : etag;
  }
};

/// One request, and what its callbacks share.
struct Transfer {
  CURL* curl = nullptr;
  PartFile* part = nullptr;
  TerminalMeter* meter = nullptr;
  StopToken stop = current_stop_token();
  std::uint64_t offset = 0;  ///< where it goes on
  ResponseHeader header{};
  bool started = false;        ///< the first byte of the file came
  std::exception_ptr fault{};  ///< thrown while a callback ran; libcurl is C
};

[[noreturn]] void fail(const std::string& url, std::string_view what) {
  throw InputError(fmt::format("{}: {}", url, what));
}

long response_code(CURL* curl) {
  long code = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
  return code;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != text.npos) {
    text.remove_suffix(1);
  }
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

bool is_field(std::string_view name, std::string_view wanted) {
  return in_lower_case(name) == wanted;
}

extern "C" std::size_t cospot_take_header(char* bytes, std::size_t size, std::size_t count,
                                          void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(bytes, size * count);
  // Every response begins anew: a redirection has a header of its own.
  if (line.starts_with("HTTP/")) transfer.header = {};
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  const std::string_view name = line.substr(0, colon);
  const std::string value(trimmed(line.substr(colon + 1)));
  if (is_field(name, "etag")) transfer.header.etag = value;
  if (is_field(name, "last-modified")) transfer.header.last_modified = value;
  if (is_field(name, "content-range")) transfer.header.content_range = value;
  return size * count;
}

/// True if a partial response begins at `offset`: `bytes 100-199/200`.
bool begins_at(std::string_view content_range, std::uint64_t offset) {
  constexpr std::string_view kUnit = "bytes ";
  if (!content_range.starts_with(kUnit)) return false;
  content_range.remove_prefix(kUnit.size());
  return parse_integer<std::uint64_t>(content_range.substr(0, content_range.find('-'))) == offset;
}

/// Gets the file ready for the first byte. A 200 is the whole file: the server has another version
/// or sends no parts.
void start(Transfer& transfer) {
  transfer.started = true;
  const long code = response_code(transfer.curl);
  if (code == kOk) {
    transfer.offset = 0;
    transfer.part->restart(transfer.header.validator());
  } else if (!begins_at(transfer.header.content_range, transfer.offset)) {
    transfer.part->restart({});
    throw InputError(fmt::format("the server sent the range {}, expected it from byte {}",
                                 quoted_excerpt(transfer.header.content_range), transfer.offset));
  }
}

extern "C" std::size_t cospot_take_body(char* bytes, std::size_t size, std::size_t count,
                                        void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const long code = response_code(transfer.curl);
  // The text of an error page is no part of the file.
  if (code != kOk && code != kPartialContent) return size * count;
  try {
    if (!transfer.started) start(transfer);
    transfer.part->append({bytes, size * count});
    return size * count;
  } catch (...) {
    transfer.fault = std::current_exception();
    return 0;  // ends the transfer
  }
}

extern "C" int cospot_show_progress(void* user, curl_off_t total, curl_off_t /*done*/,
                                    curl_off_t /*upload_total*/, curl_off_t /*uploaded*/) {
  auto& transfer = *static_cast<Transfer*>(user);
  const auto expected = static_cast<std::uint64_t>(total);
  if (transfer.started) {
    transfer.meter->update(transfer.part->size(), expected == 0 ? 0 : transfer.offset + expected);
  }
  return transfer.stop.is_asked() ? 1 : 0;  // 1 ends the transfer
}

/// The certificates to trust, or nullptr: those that libcurl finds by itself. It looks where the
/// system that built it keeps them, which in a wheel is Debian; the others are those of Fedora and
/// its relatives, openSUSE and Alpine. The variables are those that the program curl and OpenSSL
/// know.
const char* certificate_file() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* path = std::getenv(name);
    if (path != nullptr && *path != '\0') return path;
  }
  std::error_code error;
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (std::filesystem::exists(path, error)) return path;
  }
  return nullptr;
}

void set_options(Transfer& transfer, const std::string& url, char* error_text) {
  CURL* curl = transfer.curl;
  if (const char* trusted = certificate_file()) curl_easy_setopt(curl, CURLOPT_CAINFO, trusted);
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  // A download over TLS must not continue in the clear: anybody on the way could change it.
  const bool is_https = in_lower_case(url).starts_with("https:");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_https ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "cospot/" COSPOT_VERSION);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_text);
  // Gives up on a connection that takes 30 s to make, or that brings nothing for a minute.
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, cospot_take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, cospot_take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, cospot_show_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

/// The part of a broken download that is kept.
std::string kept_text(const PartFile& part) {
  if (part.size() == 0) return "nothing was downloaded";
  if (part.validator().empty()) {
    return fmt::format("{} bytes came, which this server gives no way to continue", part.size());
  }
  return fmt::format("{} bytes are kept in {}; run the command again to continue", part.size(),
                     part.path().string());
}

void check_result(Transfer& transfer, const std::string& url, CURLcode result,
                  const char* error_text) {
  transfer.stop.check();
  if (transfer.fault) {
    try {
      std::rethrow_exception(transfer.fault);
    } catch (const InputError& error) {
      fail(url, error.what());
    }
  }
  if (result == CURLE_OK) return;
  const std::string_view reason = *error_text != '\0' ? error_text : curl_easy_strerror(result);
  switch (result) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      fail(url, fmt::format("cannot be reached ({}); is there a network? {}", reason,
                            kept_text(*transfer.part)));
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (response_code(transfer.curl) != 0) {
        fail(url,
             fmt::format("the server redirects to an address that is not followed from here ({})",
                         reason));
      }
      fail(url, fmt::format("is not an address that can be fetched ({}), expected http:// or "
                            "https://",
                            reason));
    default:
      fail(url, fmt::format("the download broke off ({}): {}", reason, kept_text(*transfer.part)));
  }
}

enum class Outcome : std::uint8_t { kComplete, kStartAgain };

Outcome judge(Transfer& transfer, const std::string& url) {
  const long code = response_code(transfer.curl);
  if (code == kRangeNotSatisfiable && transfer.offset > 0) {
    // Everything was there already, or more than the file has.
    const std::string all = fmt::format("bytes */{}", transfer.part->size());
    if (transfer.header.content_range == all) return Outcome::kComplete;
    transfer.part->restart({});
    return Outcome::kStartAgain;
  }
  if (code != kOk && code != kPartialContent) {
    fail(url, fmt::format("the server answered {}, expected the file; {}", code,
                          kept_text(*transfer.part)));
  }
  if (!transfer.started) fail(url, "the server sent an empty file");
  return Outcome::kComplete;
}

Outcome transfer_file(const std::string& url, PartFile& part, TerminalMeter& meter) {
  const std::unique_ptr<CURL, FreeCurl> curl(curl_easy_init());
  if (!curl) throw std::bad_alloc();
  Transfer transfer{.curl = curl.get(), .part = &part, .meter = &meter, .offset = part.size()};
  std::array<char, CURL_ERROR_SIZE> error_text{};
  set_options(transfer, url, error_text.data());
  std::unique_ptr<curl_slist, FreeCurl> headers;
  if (transfer.offset > 0) {
    curl_easy_setopt(curl.get(), CURLOPT_RANGE, fmt::format("{}-", transfer.offset).c_str());
    headers.reset(curl_slist_append(nullptr, ("If-Range: " + part.validator()).c_str()));
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  }
  const CURLcode result = curl_easy_perform(curl.get());
  check_result(transfer, url, result, error_text.data());
  return judge(transfer, url);
}

}  // namespace

void download_file(const std::string& url, PartFile& part) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) throw std::runtime_error("libcurl cannot be initialised");
  TerminalMeter meter(url.substr(url.rfind('/') + 1), MeterUnit::kBytes);
  if (transfer_file(url, part, meter) == Outcome::kStartAgain) {
    (void)transfer_file(url, part, meter);  // from the beginning, so it cannot ask for this again
  }
  part.flush();
}

}  // namespace cospot

#else

namespace cospot {

void download_file(const std::string& url, PartFile& /*part*/) {
  throw ConfigError(
      fmt::format("this cospot was built without libcurl, which 'workload fetch' needs; install "
                  "libcurl4-openssl-dev and build again, or get {} by hand",
                  url));
}

}  // namespace cospot

#endif
