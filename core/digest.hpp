#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cospot {

/// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace cospot
