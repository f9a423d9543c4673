#!/usr/bin/env bash
# Runs Nova's own scheduler tests, from the installed package, without cospot and with its filter and
# weigher in every scheduler, switched off, and says what differs. Exit code 1: something does that
# novas_own_differences.txt does not give a reason for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

usage() {
  cat <<'TEXT'
Usage: tests/nova/functional/run_novas_own.sh [--release RELEASE] [--unit]

  --release RELEASE   as for run.sh
  --unit              only the unit tests

COSPOT_BUILD names the build whose Python package is tested; build/release unless set.
TEXT
}

python=${COSPOT_PYTHON:-/usr/bin/python3}
name=installed
functional=true
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --unit) functional=false ;;
    --release)
      [ $# -ge 2 ] || { usage >&2; exit 2; }
      tests/nova/functional/make-venv.sh "$2"
      name=$2
      python=build/nova-releases/$2/bin/python
      shift
      ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
PYTHONPATH=$(realpath "${COSPOT_BUILD:-build/release}/python"):$PWD/tests/nova/functional:$PWD/tests
export PYTHONPATH
tests=$("$python" -c 'import nova, pathlib; print(pathlib.Path(nova.__file__).parent / "tests")')
logs=build/logs/novas-own-$name
mkdir -p "$logs"

# run LANE PASS_THROUGH FILE...: one run of Nova's tests.
run() {
  local lane=$1 pass_through=$2
  shift 2
  COSPOT_PASS_THROUGH=$pass_through "$python" -m pytest -p no:cacheprovider -p nova_test_overlay \
    -W ignore -q --rootdir="$tests" --junitxml="$logs/$lane-$pass_through.xml" "$@" \
    >"$logs/$lane-$pass_through.log" 2>&1 || true
  tail -n 1 "$logs/$lane-$pass_through.log"
}

lanes=(unit)
run unit 0 "$tests/unit/scheduler"
run unit 1 "$tests/unit/scheduler"
if $functional; then
  lanes+=(functional)
  files=()
  for file in test_scheduler test_aggregates test_availability_zones test_cold_migrate; do
    files+=("$tests/functional/$file.py")
  done
  run functional 0 "${files[@]}"
  run functional 1 "${files[@]}"
fi
"$python" tests/nova/functional/compare_runs.py "$logs" "${lanes[@]}"
