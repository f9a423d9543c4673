#!/usr/bin/env bash
# Runs the Python tests, and the code and commands of the pages, with what a build has made. Prints pytest's output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/python/run.sh BUILD_DIR [PYTEST_ARGUMENT]...

  BUILD_DIR   a build of the targets _core and cospot, such as build/release

Leaves out the tests marked `slow`; -m slow runs these alone.

Many tests mostly wait, so two more run than there are processors; -n 0 among the arguments runs one at a time.
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  '' | -*) usage >&2; exit 2 ;;
esac
build=$(realpath "$1")
shift
if ! compgen -G "$build/python/cospot/_core*.so" >/dev/null; then
  echo "run.sh: $build has no Python package; build the target _core first" >&2
  exit 2
fi
scripts/make-test-venv.sh build/venv >/dev/null
export PYTHONPATH=$build/python
export COSPOT_PROGRAM=$build/cospot
# Else each of hundreds of processes compiles the package again, and each worker all tests.
unset PYTHONDONTWRITEBYTECODE
# Nova imports distutils, and setuptools would put its own in place: 0.2 s more in each process.
export SETUPTOOLS_USE_DISTUTILS=stdlib
parallel=()
if build/venv/bin/python -c 'import xdist' 2>/dev/null; then
  parallel=(-n "$(($(nproc) + 2))" --dist worksteal)
fi
# Tests press Ctrl-C, which what a script starts in the background would ignore.
exec env --default-signal=INT build/venv/bin/python -m pytest -p no:cacheprovider -m "not slow" "${parallel[@]}" "$@" \
  tests/python tests/docs
