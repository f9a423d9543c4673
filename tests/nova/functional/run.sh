#!/usr/bin/env bash
# Runs cospot's scheduler plugin in Nova's own functional fixtures: API, conductor, scheduler,
# computes with the fake driver and placement in one process. Prints pytest's output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

usage() {
  cat <<'TEXT'
Usage: tests/nova/functional/run.sh [--release RELEASE] [PYTEST_ARGUMENT]...
       tests/nova/functional/run.sh --novas-own [ARGUMENT]...

  --novas-own         Nova's own tests without and with cospot: run_novas_own.sh
  --release RELEASE   with that release of Nova from the Python registry (see make-venv.sh);
                      without it with the Nova that is installed

COSPOT_BUILD names the build whose Python package is tested; build/release unless set.
TEXT
}

python=${COSPOT_PYTHON:-/usr/bin/python3}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --novas-own) shift; exec tests/nova/functional/run_novas_own.sh "$@" ;;
  --release)
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    tests/nova/functional/make-venv.sh "$2"
    python=build/nova-releases/$2/bin/python
    shift 2
    ;;
esac
build=${COSPOT_BUILD:-build/release}
if ! compgen -G "$build/python/cospot/_core*.so" >/dev/null; then
  echo "run.sh: $build has no Python package; build the target _core first" >&2
  exit 2
fi
PYTHONPATH=$(realpath "$build/python"):$PWD/tests/nova/functional:$PWD/tests
export PYTHONPATH
exec "$python" -m pytest -p no:cacheprovider -p nova_test_overlay -W ignore \
  "$@" tests/nova/functional/test_servers.py tests/nova/functional/test_mixed_cloud.py \
  tests/nova/functional/test_server_times.py
