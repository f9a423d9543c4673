#!/usr/bin/env bash
# Installs what cospot needs to build and run on Debian 12 or a relative that has apt. Installs only
# what is missing; with nothing missing it needs neither the network nor root.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/install-dependencies.sh [--with-dev] [--with-libvirt] [--dry-run]

  --with-dev   also what tests/run.sh uses: clang and its tools, Python's test tools and packages,
               Chromium, OpenStack Nova
  --with-libvirt
               also what tests/nova/deploy.sh up --libvirt needs: QEMU and libvirt, which Debian
               does not start by these packages
  --dry-run    only say what is missing
TEXT
}

# A compiler, the build tools, and the libraries that CMakeLists.txt and tests/ look for; Python with
# what its two ways into C++ need. Python's standard library drives the command-line tests.
packages=(
  g++ cmake ninja-build pkg-config
  libssl-dev zlib1g-dev libsqlite3-dev libyaml-cpp-dev libfmt-dev libcli11-dev
  nlohmann-json3-dev
  coinor-libclp-dev libcurl4-openssl-dev
  libboost-dev doctest-dev libbenchmark-dev
  python3 python3-dev python3-numpy pybind11-dev libboost-python-dev
)
# Tools that look at the sources; what the Python tests need; Chromium, which looks at the report; Doxygen,
# which reads the headers for the site;
# Nova, whose weighers and filters run as they are; what a cloud of Nova on this machine needs (in a
# container Debian starts neither MariaDB nor RabbitMQ; elsewhere it does, and the tests leave them be);
# what makes Debian packages and looks at them, and makes a Debian to install them into.
dev_packages=(
  clang clang-tidy clang-format libclang-rt-dev ccache shellcheck codespell
  python3-venv python3-pip python3-pytest python3-hypothesis python3-pandas python3-matplotlib
  python3-sklearn python3-nbclient python3-nbformat python3-ipykernel
  chromium chromium-driver python3-selenium doxygen
  python3-nova
  python3-fixtures python3-testtools python3-oslotest python3-wsgi-intercept python3-ddt
  python3-requests-mock python3-osprofiler python3-gabbi python3-testscenarios
  python3-testresources python3-subunit
  python3-keystone python3-placement python3-cinder python3-pymysql mariadb-server rabbitmq-server
  python3-tooz python3-prometheus-client
  dpkg-dev file lintian mmdebstrap
)

libvirt_packages=(
  qemu-system-x86 qemu-utils libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients
  python3-libvirt binutils
)

fail() {
  echo "install-dependencies: $1" >&2
  exit 2
}

is_installed() {
  local pattern=$1
  # The sanitizers' runtime of any clang will do; Debian names it by version as well.
  if [ "$pattern" = libclang-rt-dev ]; then pattern='libclang-rt*-dev'; fi
  dpkg-query -W -f '${db:Status-Status}\n' "$pattern" 2>/dev/null | grep -qx installed
}

dry_run=false
while [ $# -gt 0 ]; do
  case $1 in
    --with-dev) packages+=("${dev_packages[@]}") ;;
    --with-libvirt) packages+=("${libvirt_packages[@]}") ;;
    --dry-run) dry_run=true ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; fail "unknown option '$1'" ;;
  esac
  shift
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "this system has no apt; install by other means what these Debian packages hold: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "All ${#packages[@]} packages are installed."
  exit 0
fi
echo "Missing packages: ${missing[*]}"
if $dry_run; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    fail "installing needs root: run as root, or install sudo, or ask for: ${missing[*]}"
  as_root=(sudo)
  echo "Installing them with sudo."
fi
# env, because sudo drops variables.
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
"${apt[@]}" update -q || fail "apt-get update failed: is the network there?"
"${apt[@]}" install -q -y --no-install-recommends "${missing[@]}" ||
  fail "apt-get could not install: ${missing[*]}"
echo "Installed: ${missing[*]}"
