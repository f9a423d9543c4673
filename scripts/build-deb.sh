#!/usr/bin/env bash
# Builds the Debian packages cospot, python3-cospot and cospot-evictor in build/deb, with the flags of dpkg-buildflags
# beside our own. What is compiled there already is not compiled again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/build-deb.sh [-o FOLDER]

  -o FOLDER   where the packages go; build/packages unless given

Needs what scripts/install-dependencies.sh installs, and dpkg-dev and file. Prints the packages' paths.
TEXT
}

folder=build/packages
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -o) folder=${2:?"-o needs a folder"}; shift ;;
    *) usage >&2; echo "build-deb: unknown argument '$1'" >&2; exit 2 ;;
  esac
  shift
done

for tool in dpkg-shlibdeps dpkg-buildflags file; do
  if ! command -v "$tool" >/dev/null; then
    echo "build-deb: there is no $tool; install dpkg-dev and file" >&2
    exit 2
  fi
done
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
fi
# flags NAME: those with which this distribution compiles its packages. How much to optimise is ours to say, and debugging
# information nobody would get.
flags() {
  DEB_BUILD_MAINT_OPTIONS="hardening=+all optimize=-lto" DEB_CXXFLAGS_MAINT_STRIP="-g -O2" dpkg-buildflags --get "$1"
}
build=build/deb
cmake --preset release -B "$build" -D COSPOT_BUILD_TESTS=OFF -D COSPOT_BUILD_BENCH=OFF \
  -D CMAKE_CXX_FLAGS="$(flags CPPFLAGS) $(flags CXXFLAGS)" \
  -D CMAKE_EXE_LINKER_FLAGS="$(flags LDFLAGS)" -D CMAKE_MODULE_LINKER_FLAGS="$(flags LDFLAGS)" >&2
cmake --build "$build" --target cospot _core cospot_python_host >&2
mkdir -p "$folder"
rm -f "$folder"/*.deb
# The same for whoever builds: whatever the umask is, folders of packages are readable by all.
(umask 022 && cpack --config "$build/CPackConfig.cmake" -B "$(realpath "$folder")") >&2
rm -rf "$folder/_CPack_Packages"
ls "$folder"/*.deb
