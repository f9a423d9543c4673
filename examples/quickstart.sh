#!/usr/bin/env bash
# Builds cospot and compares 72 allocators on ten synthetic workloads: from a fresh checkout to a
# result with one command. Run it from anywhere, as often as you like.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
results=results/quickstart

echo "== 1/3  Dependencies"
scripts/install-dependencies.sh

echo "== 2/3  Building build/release/cospot"
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
fi
cmake --preset release >/dev/null
# Not ninja's default: two compilers more than processors get into each other's way.
cmake --build --preset release --target cospot -j "$(nproc)"

echo "== 3/3  Comparing (the study file: examples/small_grid.yaml)"
mkdir -p "$results"
build/release/cospot compare examples/small_grid.yaml --force \
  --db "$results/results.db" --csv "$results/results.csv"
build/release/cospot report "$results/results.db" -o "$results/report.html" \
  --title "cospot: 72 allocators on ten synthetic workloads" >/dev/null

cat <<TEXT

Look at the results in your browser, filter them, click a point for its configuration:
  $root/$results/report.html

Every run is in
  $root/$results/results.csv   one line a run; docs/results-format.md tells the columns
  $root/$results/results.db    the same in SQLite, with each run's whole configuration

Try next, in $root:
  build/release/cospot list                                    the policies there are
  build/release/cospot compare examples/small_grid.yaml --force --set 'otn=[1,2,4,8,16,32]'
  build/release/cospot workload info YOURS.csv --host 64,262144   what is in your own history
  docs/sweep-file.md                                           how to write a study of your own
TEXT
