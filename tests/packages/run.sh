#!/usr/bin/env bash
# Builds the Debian packages and a wheel, installs them on fresh machines (folders with a Debian in them), and uses
# them there; does the same with what the container files and the Ansible role do, and follows the page of
# Kolla-Ansible. Prints pytest's output. Needs root, mmdebstrap and the network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/packages/run.sh [OPTION]... [PYTEST_ARGUMENT]...

  --wheel-python PYTHON   an interpreter to build and test a wheel for, may be given several times;
                          /usr/bin/python3 unless given
  --all-pythons           /usr/bin/python3, and CPython 3.10 to 3.13 of pyenv
  --wheels FOLDER         test the wheels in it; build none
  --built-wheels FOLDER   only put the libraries into those wheels in it that pip has built; others are built
  --debs FOLDER           test the Debian packages in it; build none
  --ubuntu                Debian packages on Ubuntu 24.04, built there; choose their tests by -k test_debs

COSPOT_PACKAGES_CACHE names a folder for what apt downloads; build/debian-archives unless set.
TEXT
}

arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --all-pythons)
      arguments+=(--wheel-python=/usr/bin/python3)
      for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[0-3].*/bin/python3; do
        arguments+=("--wheel-python=$python")
      done
      ;;
    # In one word, for pytest finds out only later that these options take a value.
    --wheel-python | --wheels | --built-wheels | --debs)
      arguments+=("$1=${2:?"$1 needs a value"}")
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
exec /usr/bin/python3 -m pytest -p no:cacheprovider "${arguments[@]}" tests/packages
