#!/usr/bin/env python3
"""Runs one golden case of the command line and compares everything it does, byte for byte.

A case is a folder with
  command           a bash script, run with -eu in a scratch copy, with `cospot` in its PATH
  expected_stdout   what it prints; empty when the file is missing
  expected_stderr   the same for the standard error
  expected_exit     its exit code; 0 when missing
  expected_files    names of the files it leaves behind, one a line; none when missing
and the input files of the command. In the output, the scratch folder reads <here> and the version
of cospot <version>.

With --update the expectations are written instead: read them before you commit them.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DEFAULTS = {"expected_exit": b"0\n"}
TIMEOUT_S = 3000  # far more than a busy machine needs; stops a hang


VALID_NAMES = re.compile(
    rb"(unknown (?:weigher|filter|evictor|command) '[^']*'; valid names: |can be set as well: "
    rb"|study: found '[^']*', expected one of: )[^\n]*"
)


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def run(case, cospot):
    """Runs the case in a scratch folder and returns what each expectation file should hold."""
    with tempfile.TemporaryDirectory(prefix="cospot-cli-") as scratch:
        here = pathlib.Path(scratch).resolve() / "case"
        shutil.copytree(case, here)
        before = files_below(here)
        environment = dict(os.environ, PATH=f"{cospot.parent}:{os.environ['PATH']}", LC_ALL="C")
        environment.pop("COSPOT_DATA", None)
        done = subprocess.run(
            ["bash", "-eu", "command"],
            cwd=here,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        version = subprocess.run([cospot, "--version"], capture_output=True, check=True).stdout

        def mask(output):
            masked = output.replace(str(here).encode(), b"<here>")
            # A new policy or study is a valid name in every message, and no change of this case.
            masked = VALID_NAMES.sub(rb"\g<1><...>", masked)
            return masked.replace(b'"' + version.strip() + b'"', b'"<version>"')

        left = sorted(files_below(here) - before)
        return {
            "expected_stdout": mask(done.stdout),
            "expected_stderr": mask(done.stderr),
            "expected_exit": f"{done.returncode}\n".encode(),
            "expected_files": "".join(name + "\n" for name in left).encode(),
        }


def expected(case, name):
    path = case / name
    return path.read_bytes() if path.exists() else DEFAULTS.get(name, b"")


def update(case, found):
    for name, content in found.items():
        if content == DEFAULTS.get(name, b""):
            (case / name).unlink(missing_ok=True)
        else:
            (case / name).write_bytes(content)


def differences(case, found):
    for name, content in found.items():
        wanted = expected(case, name)
        if content != wanted:
            lines = [
                text.decode(errors="backslashreplace").splitlines(keepends=True)
                for text in (wanted, content)
            ]
            yield "".join(difflib.unified_diff(*lines, fromfile=name, tofile="found"))


def main():
    parser = argparse.ArgumentParser(description="Run one golden case of the command line.")
    parser.add_argument("--cospot", type=pathlib.Path, required=True, help="the program to test")
    parser.add_argument("--update", action="store_true", help="write the expectations")
    parser.add_argument("cases", type=pathlib.Path, nargs="+", help="folders")
    arguments = parser.parse_args()
    cospot = arguments.cospot.resolve()
    if not os.access(cospot, os.X_OK) or cospot.name != "cospot":
        sys.exit(f"{cospot}: is not the program cospot")
    failed = False
    for case in arguments.cases:
        found = run(case, cospot)
        if arguments.update:
            update(case, found)
            continue
        for difference in differences(case, found):
            failed = True
            print(f"{case.name}: {difference}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
