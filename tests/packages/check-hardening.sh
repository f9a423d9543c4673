#!/usr/bin/env bash
# Reads in compiled files whether they are hardened as cmake/flags.cmake says. Prints what is missing, a line each.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: tests/packages/check-hardening.sh FILE...

  FILE   a program or a library of cospot, of the release build or out of a package

Needs readelf (binutils).
TEXT
}

if [ $# -eq 0 ] || [[ $1 == -* ]]; then usage; exit 2; fi
faults=0

# expect FILE WHAT PATTERN READELF_OPTION...: what readelf prints has to have a line of that pattern.
expect() {
  local file=$1 what=$2 pattern=$3
  shift 3
  if ! grep -qE -- "$pattern" <<<"$(readelf -W "$@" "$file")"; then
    echo "$file: $what" >&2
    faults=1
  fi
}

for file in "$@"; do
  expect "$file" "not position-independent" '^ *Type: +DYN' --file-header
  expect "$file" "its tables can be written (-z relro)" '^ *GNU_RELRO ' --program-headers
  expect "$file" "its tables are filled late (-z now)" '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' --dynamic
  expect "$file" "its stack can be executed" '^ *GNU_STACK .* RW +0x' --program-headers
  expect "$file" "no -fstack-protector-strong" ' __stack_chk_fail' --dyn-syms
  # A library may call nothing that is checked then, but a copy whose size the compiler knows.
  if readelf -W --dyn-syms "$file" | grep -E ' (read|readlink|realpath|poll|snprintf|f?printf|strcpy|strcat)@' >/dev/null; then
    expect "$file" "no -D_FORTIFY_SOURCE=2" ' __[a-z]+_chk[ @]' --dyn-syms
  fi
  expect "$file" "no -D_GLIBCXX_ASSERTIONS" ' _ZSt21__glibcxx_assert_fail' --dyn-syms
done
exit $faults
