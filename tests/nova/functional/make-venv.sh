#!/usr/bin/env bash
# Makes a virtual environment with a release of Nova, its placement and what their tests need, as
# pinned in requirements-RELEASE.txt. Made anew only when that file has changed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'TEXT'
Usage: tests/nova/functional/make-venv.sh RELEASE [FOLDER]

  RELEASE   a version of Nova with a file requirements-RELEASE.txt here
  FOLDER    where to make it; build/nova-releases/RELEASE unless given

The Python is /usr/bin/python3, or what COSPOT_PYTHON names: the one that cospot was built for.
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  '' | -*) usage >&2; exit 2 ;;
esac
release=$1
folder=${2:-$here/../../../build/nova-releases/$release}
requirements=$here/requirements-$release.txt
if [ ! -f "$requirements" ]; then
  known=$(cd "$here" && echo requirements-*.txt)
  echo "make-venv: no file for release '$release'; there are: $known" >&2
  exit 2
fi
stamp=$folder/requirements.sha256
if [ -f "$stamp" ] && sha256sum --check --status "$stamp"; then
  echo "$folder is up to date."
  exit 0
fi
rm -rf "$folder"
"${COSPOT_PYTHON:-/usr/bin/python3}" -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
sha256sum "$requirements" >"$stamp"
echo "Made $folder."
