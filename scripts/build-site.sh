#!/usr/bin/env bash
# Builds the site of the documentation into build/site/html, from the same Markdown: warnings are
# errors, the notebooks run, and no page loads anything from elsewhere. Needs the network only the
# first time, for the packages of packaging/docs-requirements.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/build-site.sh [BUILD_DIR]

  BUILD_DIR   a build of the target _core, for the notebooks; build/release unless given

Open build/site/html/index.html, or `python3 -m http.server -d build/site/html`.
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
build=$(realpath "${1:-build/release}")
if ! compgen -G "$build/python/cospot/_core*.so" >/dev/null; then
  echo "build-site: $build has no Python package; build the target _core first" >&2
  exit 2
fi
command -v doxygen >/dev/null || {
  echo "build-site: doxygen is not installed; scripts/install-dependencies.sh --with-dev installs it" >&2
  exit 2
}
scripts/make-test-venv.sh build/venv >/dev/null
scripts/make-test-venv.sh build/docs-venv packaging/docs-requirements.txt >/dev/null
PYTHONPATH=$build/python build/docs-venv/bin/python packaging/site/prepare.py build/site/source \
  --python build/venv/bin/python --scratch build/site/doxygen
build/docs-venv/bin/mkdocs build --strict --clean --config-file packaging/site/mkdocs.yml
# Links to other sites are fine; a script, a style or a picture of theirs is not.
if elsewhere=$(grep -rEoh --include='*.html' '<(script|img|iframe|link)[^>]*(src|href)="?(https?:)?//[^">]*' build/site/html |
  grep -v 'rel="\?canonical' | sort -u | head -n 5) && [ -n "$elsewhere" ]; then
  echo "build-site: pages load from elsewhere: $elsewhere" >&2
  exit 1
fi
echo "$(find build/site/html -name '*.html' | wc -l) pages in build/site/html"
