#!/usr/bin/env bash
# Brings a cloud of Nova up on this machine, runs the scenarios on it, and takes it down.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/nova/run.sh [--release RELEASE] [PYTEST_ARGUMENT]...

  --release RELEASE   with that release of Nova from the Python registry, which is
                      COSPOT_NOVA_RELEASE=RELEASE; without it with Debian's

Prints pytest's output; its exit code is pytest's. Without Debian's packages of the services all
scenarios are skipped. Environment: as for tests/nova/deploy.sh, and
  COSPOT_NOVA_KEEP   set: use a deployment that is up already, and leave it up
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --release)
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    export COSPOT_NOVA_RELEASE=$2
    shift 2
    ;;
esac
if [ -n "${COSPOT_NOVA_RELEASE:-}" ]; then
  tests/nova/functional/make-venv.sh "$COSPOT_NOVA_RELEASE"
fi
build=$(realpath "${COSPOT_BUILD:-build/release}")
if ! compgen -G "$build/python/cospot/_core*.so" >/dev/null; then
  echo "run.sh: $build has no Python package; build the target _core first" >&2
  exit 2
fi
# The deployment's services find the package there too.
export COSPOT_BUILD=$build
export PYTHONPATH=$PWD/tests:$PWD/tests/nova:$PWD/tests/nova/scenarios:$build/python
scripts/make-test-venv.sh build/venv >/dev/null
code=0
build/venv/bin/python -m pytest -p no:cacheprovider tests/nova/scenarios "$@" || code=$?
if [ -z "${COSPOT_NOVA_KEEP:-}" ]; then
  tests/nova/deploy.sh down >/dev/null || code=1
fi
exit "$code"
