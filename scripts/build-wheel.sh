#!/usr/bin/env bash
# Builds a wheel that runs without this machine's libraries: pip builds it as for `pip install .`, auditwheel
# puts the libraries into it that not every Linux has, and finds the oldest glibc that it runs with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/build-wheel.sh [-o FOLDER] [PYTHON]...

  -o FOLDER   where the wheels go; build/wheels unless given
  PYTHON      an interpreter with pip, for each of which a wheel is made; /usr/bin/python3 unless given

Needs what scripts/install-dependencies.sh installs, and the Python registry. Prints the wheels' paths.
TEXT
}

folder=build/wheels
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -o) folder=${2:?"-o needs a folder"}; shift ;;
    -*) usage >&2; echo "build-wheel: unknown option '$1'" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
if [ $# -eq 0 ]; then set -- /usr/bin/python3; fi

tools=$PWD/build/package-tools
scripts/make-test-venv.sh "$tools" packaging/requirements.txt >&2
scratch=$(mktemp -d "$PWD/build/wheel.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# add_licences WHEEL: gives a repaired wheel the licences of the libraries in it. auditwheel lists their
# packages in the wheel's bill of materials.
add_licences() {
  local unpacked package
  "$tools/bin/wheel" unpack --dest "$scratch" "$1" >&2
  unpacked=$(echo "$scratch"/cospot-*/)
  grep -ohP 'pkg:deb/[a-z]+/\K[^@"]+' "$unpacked"/*.dist-info/sboms/*.json | sort -u |
    while read -r package; do
      install -D -m 0644 "/usr/share/doc/$package/copyright" \
        "$(echo "$unpacked"/*.dist-info/licenses)/libraries/$package"
    done
  "$tools/bin/wheel" pack --dest-dir "$folder" "$unpacked" >&2
  rm -r "$unpacked"
}

mkdir -p "$folder"
for python in "$@"; do
  rm -rf "${scratch:?}"/*
  # By the name and with the flags of the release build, so that a compiler cache has all but the bindings.
  CXX=${CXX:-c++} "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
    --wheel-dir "$scratch/built" --config-settings=cmake.define.COSPOT_WERROR=ON . >&2
  # The reference BLAS and LAPACK, whichever of them Debian's alternatives have chosen here.
  libraries=/usr/lib/$(gcc -print-multiarch)
  PATH=$tools/bin:$PATH LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack \
    "$tools/bin/auditwheel" repair --wheel-dir "$scratch/repaired" "$scratch"/built/cospot-*.whl >&2
  repaired=$(echo "$scratch"/repaired/cospot-*.whl)
  add_licences "$repaired"
  echo "$folder/$(basename "$repaired")"
done
