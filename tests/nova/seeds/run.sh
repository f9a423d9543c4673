#!/usr/bin/env bash
# Simulates the Nova plugin and its service by seed; see docs/nova/tested.md#simulation-by-seed and --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

build=$(realpath "${COSPOT_BUILD:-build/release}")
if ! compgen -G "$build/python/cospot/_core*.so" >/dev/null; then
  echo "run.sh: $build has no Python package; build the target _core first" >&2
  exit 2
fi
export PYTHONPATH=$PWD/tests/nova:$build/python PYTHONHASHSEED=0
python=${COSPOT_PYTHON:-/usr/bin/python3}
exec "$python" -m seeds "$@"
