#!/usr/bin/env bash
# Makes a virtual environment, that of the Python tests unless told otherwise: Debian's Python with what is
# installed, and on top of it what a file of requirements names. Made anew only when that file has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/make-test-venv.sh [FOLDER [REQUIREMENTS]]

  FOLDER         where to make it; build/venv unless given
  REQUIREMENTS   what to install; tests/python/requirements.txt unless given

The Python is /usr/bin/python3, or what COSPOT_PYTHON names.
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; echo "make-test-venv: unknown option '$1'" >&2; exit 2 ;;
esac
folder=${1:-build/venv}
python=${COSPOT_PYTHON:-/usr/bin/python3}
requirements=${2:-tests/python/requirements.txt}
stamp=$folder/requirements.sha256

if [ -f "$stamp" ] && sha256sum --check --status "$stamp"; then
  echo "$folder is up to date."
  exit 0
fi
rm -rf "$folder"
"$python" -m venv --system-site-packages "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
sha256sum "$requirements" >"$stamp"
echo "Made $folder."
