#!/usr/bin/env bash
# Runs clang-tidy as the preset tidy compiles. .clang-tidy says what it looks for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: tests/tidy.sh [--all | --since COMMIT]

Looks at each .cpp file that changed, or includes a header that changed, since the branch left main.

  --all            look at every file, many at a time: one in a fifth of the time; `using` that another
                   file of a batch needs is not seen as unused
  --since COMMIT   since the branch left that commit
TEXT
}

all=false
since=main
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=true ;;
    --since) [ $# -ge 2 ] || { usage >&2; exit 2; }; since=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; echo "tidy.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done

sources() { git ls-files --cached --others --exclude-standard "$@"; }

# The .cpp and .hpp files that changed, and all that include one of them, however indirectly. Includes
# name a file from the root of the tree, or one in the same folder.
changed_sources() {
  local base known before
  base=$(git merge-base HEAD "$since")
  known=$({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } |
    grep -E '\.[ch]pp$' || true)
  before=
  while [ "$known" != "$before" ]; do
    before=$known
    known=$({
      echo "$before"
      sources '*.cpp' '*.hpp' | xargs grep -lFf <(include_lines "$before") || true
    } | sort -u)
  done
  echo "$known" | grep '\.cpp$' | while read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done
}

include_lines() {
  local file
  while read -r file; do
    [[ $file == *.hpp ]] || continue
    printf '#include "%s"\n#include "%s"\n' "$file" "${file##*/}"
  done <<<"$1"
  echo '#include "that is never there"'
}

# tidy DATABASE_FOLDER: of the files on standard input. What clang-tidy counts in the headers of
# others is of no interest.
tidy() {
  xargs -r -P "$(nproc)" -n 1 clang-tidy -p "$1" --quiet --warnings-as-errors='*' 2>&1 |
    sed '/^[0-9]* warnings\{0,1\} generated\.$/d'
}

# tidy_batch FILE: a batch, or where something is found each of its files alone, which finds just
# what is in them.
tidy_batch() {
  clang-tidy -p build/tidy/batches --quiet --warnings-as-errors='*' "$1" >/dev/null 2>&1 ||
    sed -n 's/^#include "\([^"]*\)".*/\1/p' "$1" | tidy build/tidy
}

tidy_all() {
  export -f tidy tidy_batch
  # shellcheck disable=SC2016  # $0 is the inner shell's, a batch
  sources '*.cpp' ':!tests/mutants' |
    xargs /usr/bin/python3 tests/tidy_batches.py build/tidy/compile_commands.json build/tidy/batches |
    xargs -P "$(nproc)" -n 1 bash -c 'set -eo pipefail; tidy_batch "$0"'
}

cmake --preset tidy >/dev/null
if $all; then
  tidy_all
else
  changed_sources | tidy build/tidy
fi
