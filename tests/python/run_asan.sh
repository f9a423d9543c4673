#!/usr/bin/env bash
# Runs the Python tests that reach into C++ memory with AddressSanitizer and
# UndefinedBehaviorSanitizer. Python itself is not built with them, so the sanitizer's runtime is
# loaded first; leaks are not looked for, because Python keeps memory until its end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/python/run_asan.sh BUILD_DIR [PYTEST_ARGUMENT]...

  BUILD_DIR   a build with COSPOT_SANITIZE=ON, such as build/dev
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  '' | -*) usage >&2; exit 2 ;;
esac
build=$(realpath "$1")
shift
module=$(compgen -G "$build/python/cospot/_core*.so" | head -n 1)
# The very runtimes that the module was linked with.
runtimes=$(ldd "$module" | awk '/lib(asan|ubsan|clang_rt\.asan-[a-z0-9_]+|stdc\+\+)\.so/ {print $3}' | paste -sd:)
case $runtimes in
  *asan*) ;;
  *) echo "run_asan.sh: $module is not built with AddressSanitizer" >&2; exit 2 ;;
esac
scripts/make-test-venv.sh build/venv >/dev/null
export PYTHONPATH=$build/python
export COSPOT_PROGRAM=$build/cospot
# Allocations of Python objects too, so that a use after free in one is seen.
export PYTHONMALLOC=malloc
# Freed memory is overwritten: NumPy is not instrumented, but what it reads there shows.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:max_free_fill_size=1048576:free_fill_byte=209
export UBSAN_OPTIONS=print_stacktrace=1
parallel=()
if build/venv/bin/python -c 'import xdist' 2>/dev/null; then
  parallel=(-n "$(nproc)" --dist worksteal)
fi
LD_PRELOAD=$runtimes exec build/venv/bin/python -m pytest -p no:cacheprovider "${parallel[@]}" "$@" \
  tests/python/test_memory.py tests/python/test_api.py tests/python/test_policies.py \
  tests/python/test_handshake.py tests/python/test_threads.py tests/python/test_fuzz.py
