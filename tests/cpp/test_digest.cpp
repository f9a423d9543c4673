#include <doctest/doctest.h>

#include <array>

#include "core/digest.hpp"

namespace cospot {
namespace {

TEST_CASE("sha256_hex: the examples of FIPS 180-2") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::array<std::byte, 3> abc{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  CHECK(sha256_hex(abc) == sha256_hex("abc"));
}

TEST_CASE("Sha256: pieces give the digest of the whole") {
  Sha256 digest;
  for (const char* piece : {"a", "", "bc"}) digest.add(piece);
  CHECK(digest.finish_hex() == sha256_hex("abc"));
  CHECK(Sha256().finish_hex() == sha256_hex(""));
}

}  // namespace
}  // namespace cospot
