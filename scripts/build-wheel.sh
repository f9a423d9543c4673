#!/usr/bin/env bash
# Builds a wheel that runs without this machine's libraries: pip builds it as for `pip install .`, auditwheel
# puts the libraries into it that not every Linux has, and finds the oldest glibc that it runs with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/build-wheel.sh [-o FOLDER] [PYTHON | WHEEL]...

  -o FOLDER   where the wheels go; build/wheels unless given
  PYTHON      an interpreter with pip, for each of which a wheel is made; /usr/bin/python3 unless given
  WHEEL       a file that pip has built from these sources on this machine: only the libraries are put into it

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

# The reference BLAS and LAPACK, whichever of them Debian's alternatives have chosen here.
libraries=/usr/lib/$(gcc -print-multiarch)

# finish WHEEL: gives a repaired wheel SQLite, and the licences of the libraries in it. auditwheel lists their
# packages in the wheel's bill of materials.
finish() {
  local unpacked package sqlite=$libraries/libsqlite3.so.0
  "$tools/bin/wheel" unpack --dest "$scratch" "$1" >&2
  unpacked=$(echo "$scratch"/cospot-*/)
  # Under its own name, which auditwheel would change: the linker then takes the one that Python has loaded, if it
  # has. With two in a process SQLite's locks do not hold, and what one writes the other rolls back.
  cp "$(realpath "$sqlite")" "$unpacked/cospot.libs/libsqlite3.so.0"
  {
    grep -ohP 'pkg:deb/[a-z]+/\K[^@"]+' "$unpacked"/*.dist-info/sboms/*.json
    dpkg-query -S "$(realpath "$sqlite")" | cut -d: -f1
  } | sort -u |
    while read -r package; do
      install -D -m 0644 "/usr/share/doc/$package/copyright" \
        "$(echo "$unpacked"/*.dist-info/licenses)/libraries/$package"
    done
  "$tools/bin/wheel" pack --dest-dir "$folder" "$unpacked" >&2
  rm -r "$unpacked"
}

mkdir -p "$folder"
for one in "$@"; do
  rm -rf "${scratch:?}"/*
  built=$one
  if [[ $one != *.whl ]]; then
    # By the name and with the flags of the release build, so that a compiler cache has all but the bindings.
    CXX=${CXX:-c++} "$one" -m pip wheel --quiet --disable-pip-version-check --no-deps \
      --wheel-dir "$scratch/built" --config-settings=cmake.define.COSPOT_WERROR=ON . >&2
    built=$(echo "$scratch"/built/cospot-*.whl)
  fi
  PATH=$tools/bin:$PATH LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack \
    "$tools/bin/auditwheel" repair --exclude libsqlite3.so.0 --wheel-dir "$scratch/repaired" "$built" >&2
  repaired=$(echo "$scratch"/repaired/cospot-*.whl)
  finish "$repaired"
  echo "$folder/$(basename "$repaired")"
done
