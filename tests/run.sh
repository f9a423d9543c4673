#!/usr/bin/env bash
# Runs the checks of the project. The last line is the count: N passed, N failed[, N skipped].
# Each test of CTest and pytest is one; so is each build and each tool that looks at the sources. A
# skipped one is a test that needs COSPOT_DATA (see CONTRIBUTING.md) or a tool that is not installed.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

usage() {
  cat <<'TEXT'
Usage: tests/run.sh [--quick | --full | --sources | --slow | --nightly] [OPTION]...

Installs what is missing, builds with g++, runs the unit tests, the command line's, the Python tests
and the report in a browser, and checks format, types, spelling, shell scripts, docs/evidence.md and budgets.

  --quick           only the build and its tests
  --full            also the build by clang with sanitizers and its unit tests, a minute of inputs changed at random,
                    the time of a request by hosts, the plugin's cost, the plugin in Nova's fixtures, and the
                    scenarios on a whole cloud of Nova's services that are about evicting and staying safe
  --sources         only what looks at the sources: format, types, spelling, shell scripts, docs/evidence.md,
                    and the lines of each folder beside their budget (tests/budgets.txt)
  --slow            only the build by clang with sanitizers and all its tests, 3 minutes of inputs changed at
                    random (tests/fuzz), the wheel, the Debian packages, the wheel and the container files
                    on fresh machines, and, if there is a release build, the Python tests marked slow, short training
                    runs of Stable-Baselines3, the documentation's site and all scenarios on the cloud
  --nightly         only clang-tidy on all files, all random cases of the unit tests and the simulation of
                    100,000 seeds (docs/nova/tested.md#simulation-by-seed) on the release build, an hour of inputs
                    changed at random on the build with sanitizers, the scenarios on a cloud of Nova 34, Debian packages
                    that are built on Ubuntu 24.04 and used there next to its Nova, and the page of
                    Kolla-Ansible (docs/nova) followed
  --no-nova         with --full or --slow: without what runs OpenStack Nova's services
  --no-nova-cloud   with --full or --slow: without the scenarios on the cloud
  --nova-releases   with --full: Nova's fixtures also on releases from the Python registry
  --no-install      do not look for missing packages
TEXT
}

mode=
built=false
nova=true
nova_cloud=true
nova_releases=false
install=true
# choose_mode MODE: --quick, --full, --sources, --slow and --nightly exclude each other.
choose_mode() {
  if [ -n "$mode" ] && [ "$mode" != "$1" ]; then
    usage >&2
    echo "tests/run.sh: --$mode and --$1 exclude each other" >&2
    exit 2
  fi
  mode=$1
}

for argument in "$@"; do
  case $argument in
    --quick | --full | --sources | --slow | --nightly) choose_mode "${argument#--}" ;;
    --no-nova) nova=false ;;
    --no-nova-cloud) nova_cloud=false ;;
    --nova-releases) nova_releases=true ;;
    --no-install) install=false ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; echo "tests/run.sh: unknown option '$argument'" >&2; exit 2 ;;
  esac
done

passed=0
failed=0
skipped=0
failures=()
jobs=$(nproc)
logs=build/logs
mkdir -p "$logs"

pass() { passed=$((passed + 1)); echo "ok       $1"; }
skip() { skipped=$((skipped + 1)); echo "skipped  $1"; }
fail() { failed=$((failed + 1)); failures+=("$1"); echo "FAILED   $1"; }

# took SECONDS: what a step took, for its line.
took() { echo "($((SECONDS - $1)) s)"; }

# check NAME COMMAND...: one check; shows what the command said only when it fails.
check() {
  local name=$1 log start=$SECONDS
  shift
  log=$logs/${name//[^a-zA-Z0-9]/-}.log
  if "$@" >"$log" 2>&1; then
    pass "$name $(took "$start")"
  else
    tail -n 60 "$log"
    fail "$name"
    return 1
  fi
}

has_tool() {
  command -v "$1" >/dev/null && return
  skip "$2: $1 is not installed"
  return 1
}

use_compiler_cache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
  # What ccache must be told before it caches files that use precompiled headers.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  # The wheel's build is in another folder than the release build, and compiles much the same.
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
}

build_preset() {
  cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs"
}

# A number of a JUnit file's head, such as failures="2"; nothing when it is not there.
junit_number() { grep -m 1 -oE "(^|[[:space:]])$2=\"[0-9]+\"" "$1" | tr -dc 0-9; }

# test_preset PRESET CTEST_ARGUMENT...: counts the CTest tests of a build, and the cases in them that skipped.
test_preset() {
  local preset=$1 log=$PWD/$logs/ctest-$1.log junit=$PWD/$logs/ctest-$1.xml
  local total bad not_run cases code=0 start=$SECONDS
  shift
  rm -f "$junit"
  # Those in a browser mostly wait.
  ctest --test-dir "build/$preset" -j "$((jobs + 1))" --timeout 3600 --output-on-failure --output-junit "$junit" \
    --test-output-size-passed 1000000 "$@" >"$log" 2>&1 || code=$?
  total=$(junit_number "$junit" tests)
  bad=$(junit_number "$junit" failures)
  not_run=$(junit_number "$junit" skipped)
  if [ -z "$total" ] || [ -z "$bad" ] || [ -z "$not_run" ] || [ "$total" -eq 0 ]; then
    tail -n 60 "$log"
    fail "tests of $preset: CTest gave no result"
    return
  fi
  cases=$(grep -c 'COSPOT_DATA is not set' "$junit")
  # A test that could not be started is not among the failures, but CTest does not succeed.
  if [ "$bad" -eq 0 ] && [ "$code" -ne 0 ]; then fail "tests of $preset: CTest ended with $code"; fi
  if [ "$bad" -gt 0 ]; then failures+=("$bad tests of $preset"); fi
  if [ "$code" -ne 0 ]; then cat "$log"; fi
  passed=$((passed + total - bad - not_run))
  failed=$((failed + bad))
  skipped=$((skipped + not_run + cases))
  echo "tests    $preset: $((total - bad - not_run)) passed, $bad failed, $((not_run + cases)) skipped $(took "$start")"
}

# test_python NAME SCRIPT ARGUMENT...: counts the tests of a script that runs pytest.
test_python() {
  local name=$1 log junit total bad not_run code=0 start=$SECONDS
  shift
  log=$PWD/$logs/${name//[^a-zA-Z0-9]/-}.log
  junit=${log%.log}.xml
  rm -f "$junit"
  "$@" "--junitxml=$junit" >"$log" 2>&1 || code=$?
  if [ ! -f "$junit" ]; then
    tail -n 60 "$log"
    fail "$name: pytest gave no result"
    return
  fi
  total=$(junit_number "$junit" tests)
  bad=$(($(junit_number "$junit" failures) + $(junit_number "$junit" errors)))
  not_run=$(junit_number "$junit" skipped)
  if [ "$total" -eq "$not_run" ]; then fail "$name: nothing was tested"; fi
  if [ "$bad" -eq 0 ] && [ "$code" -ne 0 ]; then fail "$name: pytest ended with $code"; fi
  if [ "$bad" -gt 0 ]; then failures+=("$bad of $name"); fi
  if [ "$code" -ne 0 ]; then tail -n 120 "$log"; fi
  passed=$((passed + total - bad - not_run))
  failed=$((failed + bad))
  skipped=$((skipped + not_run))
  echo "tests    $name: $((total - bad - not_run)) passed, $bad failed, $not_run skipped $(took "$start")"
}

# has_module PRESET CHECK: tells whether a build has the Python module.
has_module() {
  compgen -G "build/$1/python/cospot/_core*.so" >/dev/null && return
  skip "$2: build/$1 has no Python module; see what CMake said"
  return 1
}

sources() { git ls-files --cached --others --exclude-standard "$@"; }

check_format() { sources '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror; }

check_shell() {
  { sources '*.sh' 'packaging/debian/*/p*'; echo .ci/run; } | sort -u | xargs shellcheck
}

check_spelling() { sources '*.md' '*.?pp' '*.py' '*.sh' '*.yaml' | xargs codespell; }

check_sources() {
  if has_tool clang-format "format"; then check "format" check_format; fi
  scripts/make-test-venv.sh build/venv >/dev/null
  if [ -x build/venv/bin/ruff ]; then
    check "python style" build/venv/bin/ruff check .
    check "python types" build/venv/bin/mypy
  else
    skip "python style and types: build/venv could not be made"
  fi
  if has_tool shellcheck "shell scripts"; then check "shell scripts" check_shell; fi
  if has_tool codespell "spelling"; then check "spelling" check_spelling; fi
  check "what holds of the papers" python3 examples/papers/evidence.py --check
  check "lines in their budgets" python3 tests/budgets.py && cat "$logs/lines-in-their-budgets.log"
}

test_nova_releases() {
  local file release
  for file in tests/nova/functional/requirements-*.txt; do
    release=${file##*/requirements-}
    test_python "Nova's fixtures on ${release%.txt}" tests/nova/functional/run.sh \
      --release "${release%.txt}"
  done
}

test_nova() {
  has_module release "Nova" || return
  test_python "Nova's fixtures" tests/nova/functional/run.sh
  if $nova_releases; then test_nova_releases; fi
}

# test_nova_cloud PYTEST_ARGUMENT...
test_nova_cloud() {
  if ! $nova || ! $nova_cloud; then return; fi
  has_module release "a cloud of Nova" || return
  test_python "a cloud of Nova" tests/nova/run.sh "$@"
}

# change_inputs SECONDS: runs the dev build on inputs that are changed at random, with fixed seeds.
change_inputs() {
  check "changed inputs for $1 s" tests/fuzz/run.py build/dev/cospot --seconds "$1" --runs 1000000 &&
    tail -n 2 "$logs/changed-inputs-for-$1-s.log"
}

# test_by_clang SECONDS CTEST_ARGUMENT...: that long with changed inputs.
test_by_clang() {
  local seconds=$1
  shift
  has_tool clang++ "build and tests with sanitizers" || return
  if check "build dev" build_preset dev; then
    test_preset dev "$@"
    change_inputs "$seconds"
  fi
}

test_python_by_clang() {
  if has_module dev "python with sanitizers"; then
    test_python "python with sanitizers" tests/python/run_asan.sh build/dev
  fi
}

check_packaging_files() {
  check "container files" tests/packages/check-files.sh containers
  check "ansible role" tests/packages/check-files.sh ansible
  if command -v actionlint >/dev/null || command -v go >/dev/null; then
    check "workflows" tests/packages/check-files.sh workflows
  else
    skip "workflows: neither actionlint nor go is installed"
  fi
}

check_what_is_slow() {
  test_by_clang 180
  test_python_by_clang
  test_nova_cloud
  if has_module release "slow python"; then test_python "slow python" tests/python/run.sh build/release -m slow; fi
  if has_module release "training runs"; then
    scripts/make-test-venv.sh build/venv-learning tests/python/learning-requirements.txt >/dev/null
    test_python "training runs" env PYTHONPATH=build/release/python build/venv-learning/bin/python -m pytest \
      -p no:cacheprovider tests/python/test_placement_training.py
  fi
  test_python "python from the wheel" tests/python/run_wheel_test.sh
  # Its notebooks run with the release build, which this mode alone does not make.
  if has_module release "site"; then check "site" scripts/build-site.sh build/release; fi
  test_python "packages on fresh machines" tests/packages/run.sh --built-wheels build/wheel-test/wheels \
    -k "not kolla"
}

# Makes a session go last, where the kernel schedules by session.
give_way='echo 19 >/proc/self/autogroup;'
can_give_way() { [ -w /proc/self/autogroup ] && setsid bash -c "$give_way" 2>/dev/null; }
can_give_way || give_way=

# start_beside MODE: another run of this script in the background, until finish_beside MODE counts it.
start_beside() {
  # What a script starts in the background ignores Ctrl-C, and tests are about that.
  setsid env --default-signal=INT,QUIT bash -c "$give_way exec tests/run.sh --$1 --no-install" >"$logs/$1.log" 2>&1 &
  beside=$!
  trap 'kill -- -$beside 2>/dev/null' EXIT
}

finish_beside() {
  local log=$logs/$1.log
  wait "$beside"
  trap - EXIT
  sed '$d' "$log"
  add_count "of $1" "$(tail -n 1 "$log")"
}

# add_count NAME COUNT: adds what another run of this script counted.
add_count() {
  if ! [[ $2 =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    fail "$1: it gave no result"
    return
  fi
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
  skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
  if [ "${BASH_REMATCH[2]}" -gt 0 ]; then failures+=("${BASH_REMATCH[2]} $1"); fi
}

# A tenth of Nova's time is the goal; a machine that does other things too shows less than it is.
check_plugin_cost() {
  has_module release "what the plugin costs in Nova" || return
  check "what the plugin costs in Nova" env PYTHONPATH=build/release/python build/venv/bin/python \
    tests/bench/bench_nova_scheduler.py --hosts 100 1000 --repeats 30 --changed --at-least 4
}

# Forty minutes of two processors that do nothing else.
simulate_many_seeds() {
  if check "build release" build_preset release && has_module release "simulation by seed"; then
    # Of which other runs look at a part.
    COSPOT_ALL_CASES=1 test_preset release -R '^test_provider_(loop|study)$'
    check "simulation of 100,000 seeds" tests/nova/seeds/run.sh --seeds 100000
    tail -n 8 "$logs/simulation-of-100-000-seeds.log"
  fi
}

check_the_rest() {
  check "the time of a request by hosts" tests/bench/curve.py --check
  if $nova; then
    check_plugin_cost
    test_nova
  fi
  test_nova_cloud -k "test_evicting or test_staying_safe or test_reserve or test_unconfirmed"
  test_by_clang 60 -L unit
  check_packaging_files
}

if $install; then
  if [ "$mode" = quick ]; then
    check "dependencies" scripts/install-dependencies.sh
  else
    check "dependencies" scripts/install-dependencies.sh --with-dev
  fi
fi
use_compiler_cache
if [ "$mode" = slow ]; then
  check_what_is_slow
elif [ "$mode" = sources ]; then
  check_sources
elif [ "$mode" = nightly ]; then
  # 20 minutes of a processor. Whoever changes a file runs it on that: CONTRIBUTING.md.
  if has_tool clang-tidy "tidy"; then check "tidy" tests/tidy.sh --all; fi
  simulate_many_seeds
  if has_tool clang++ "changed inputs"; then check "build dev" build_preset dev && change_inputs 3600; fi
  if has_module release "a cloud of Nova 34"; then
    test_python "a cloud of Nova 34" tests/nova/run.sh --release 34.0.0
  fi
  test_python "packages on Ubuntu 24.04" tests/packages/run.sh --ubuntu -k test_debs
  test_python "page of Kolla-Ansible" tests/packages/run.sh -k kolla
else
  check "build release" build_preset release && built=true
  # The tests in a browser leave it the time.
  if [ "$mode" != quick ]; then start_beside sources; fi
  if $built; then test_preset release; fi
  if [ "$mode" != quick ]; then finish_beside sources; fi
  if has_module release "python"; then test_python "python" tests/python/run.sh build/release; fi
  if [ "$mode" = full ]; then check_the_rest; fi
fi

for failure in "${failures[@]}"; do echo "failed: $failure"; done
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
