#!/usr/bin/env bash
# Builds the wheel as `pip install .` does, installs it into a clean virtual environment, and runs
# from there what only a wheel can break: its commands and files, and the tests of the compiled
# module, which has the registry's pybind11 and NumPy here. Needs the network for the build backend.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/python/run_wheel_test.sh [PYTEST_ARGUMENT]...

The Python is /usr/bin/python3, or what COSPOT_PYTHON names. Works in build/wheel-test.
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
python=${COSPOT_PYTHON:-/usr/bin/python3}
folder=build/wheel-test
source=$PWD
rm -rf "$folder"
mkdir -p "$folder/wheels"
"$python" -m venv "$folder/venv"
pip() { "$folder/venv/bin/pip" --quiet --disable-pip-version-check "$@"; }
# By the name and with the flags of the release build, so that a compiler cache has all but the bindings.
CXX=${CXX:-c++} pip wheel --no-deps --wheel-dir "$folder/wheels" \
  --config-settings=cmake.define.COSPOT_WERROR=ON .
pip install "$(echo "$folder"/wheels/cospot-*.whl)[plots,learning]" pytest hypothesis mypy
# From a folder without the sources, so that only the installed package is found.
cd "$folder"
export PYTHONPATH='' COSPOT_PROGRAM=''
diff <(venv/bin/python -m cospot list weighers) <(venv/bin/cospot list weighers)
for command in cospot-nova cospot-evictor; do test -x "venv/bin/$command"; done
tests=()
for subject in api choices compare handshake live_hosts memory nova_policies occupancy offer_plot pickling \
  placement_env plots policies results signatures simulation stubs threads windows; do
  tests+=("$source/tests/python/test_$subject.py")
done
venv/bin/python -m pytest -p no:cacheprovider --rootdir "$source" -c "$source/pyproject.toml" "$@" \
  "${tests[@]}"
