#include "core/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace cospot {
namespace {

using DigestBytes = std::array<unsigned char, 32>;

[[noreturn]] void fail() { throw std::runtime_error("OpenSSL cannot compute SHA-256"); }

std::string hex_text(const DigestBytes& digest) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  DigestBytes digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1 ||
      size != digest.size()) {
    fail();
  }
  return hex_text(digest);
}

std::string sha256_hex(std::string_view text) {
  return sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
}

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (!context_->evp || EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr) != 1) fail();
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  if (EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size()) != 1) fail();
}

std::string Sha256::finish_hex() {
  DigestBytes digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(context_->evp.get(), digest.data(), &size) != 1 || size != digest.size()) {
    fail();
  }
  return hex_text(digest);
}

}  // namespace cospot
