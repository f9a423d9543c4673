#!/usr/bin/env bash
# Builds the Debian packages cospot, python3-cospot and cospot-evictor from the release build, which it brings
# up to date first: what is compiled already is not compiled again.
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

for tool in dpkg-shlibdeps file; do
  if ! command -v "$tool" >/dev/null; then
    echo "build-deb: there is no $tool; install dpkg-dev and file" >&2
    exit 2
  fi
done
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
fi
cmake --preset release >&2
cmake --build --preset release --target cospot _core cospot_python_host >&2
mkdir -p "$folder"
rm -f "$folder"/*.deb
# The same for whoever builds: whatever the umask is, folders of packages are readable by all.
(umask 022 && cpack --config build/release/CPackConfig.cmake -B "$(realpath "$folder")") >&2
rm -rf "$folder/_CPack_Packages"
ls "$folder"/*.deb
