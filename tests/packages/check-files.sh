#!/usr/bin/env bash
# Looks at the files that other machines run: container files with hadolint, workflows with actionlint, the Ansible role
# with ansible-lint.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/packages/check-files.sh containers | workflows | ansible

hadolint comes from the Python registry into build/package-tools, ansible-lint into build/ansible-tools. So does
actionlint from Go's, if it is not installed and go is.
TEXT
}

tools=$PWD/build/package-tools
check_containers() {
  scripts/make-test-venv.sh "$tools" packaging/requirements.txt
  "$tools/bin/hadolint" packaging/containers/*.Dockerfile
}

check_workflows() {
  export PATH=$PATH:$tools/bin
  if ! command -v actionlint >/dev/null; then
    if ! command -v go >/dev/null; then
      echo "check-files: neither actionlint nor go is installed" >&2
      exit 2
    fi
    scripts/make-test-venv.sh "$tools" packaging/requirements.txt
    GOBIN=$tools/bin go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
  fi
  actionlint .github/workflows/*.yml
}

check_ansible() {
  scripts/make-test-venv.sh "$PWD/build/ansible-tools" packaging/ansible/requirements.txt
  cd packaging/ansible
  PATH=$OLDPWD/build/ansible-tools/bin:$PATH ansible-lint --offline --strict
}

case ${1:-} in
  -h | --help) usage ;;
  containers) check_containers ;;
  workflows) check_workflows ;;
  ansible) check_ansible ;;
  *) usage >&2; exit 2 ;;
esac
