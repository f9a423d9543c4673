#!/usr/bin/env python3
"""Installs cospot, moves the folder, and runs what is there: the program must find its parts."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

POLICY = """\
import cospot


class Last(cospot.Weigher):
    def weigh_host(self, host, request):
        return host.index
"""

SCENARIO = """\
workloads: {synthetic: azure2020, seed: 1, scale: 0.0001}
host: {vcpus: 10400, memory_mb: 2250}
hosts: 6
vm: "python:mine.Last"
spot: sDPD
evictor: FIFO
saf: false
otn: 2
"""


def run(*command, cwd):
    # Nothing of this process tells where cospot is.
    environment = {
        key: value
        for key, value in os.environ.items()
        if key in ("LSAN_OPTIONS", "ASAN_OPTIONS", "TMPDIR")
    }
    environment["PATH"] = "/usr/bin:/bin"
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def require(holds, what):
    if not holds:
        sys.exit(what)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--with-package", action="store_true")
    parser.add_argument("--with-python-policies", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cospot-install-") as scratch:
        here = pathlib.Path(scratch)
        first, prefix = here / "first", here / "moved"
        run(options.cmake, "--install", options.build, "--prefix", first, cwd=here)
        folders = {path.name for path in first.iterdir()}
        require(folders <= {"bin", "lib", "share"}, f"more than bin, lib and share: {folders}")
        share = first / "share"
        page = (share / "man" / "man1" / "cospot.1").read_text()
        require(page.startswith(".TH COSPOT 1") and ".SS cospot tune" in page, "no manual page")
        for name, text in (
            ("bash-completion/completions/cospot", "complete -o filenames -F _cospot cospot"),
            ("zsh/site-functions/_cospot", "#compdef cospot"),
            ("fish/vendor_completions.d/cospot.fish", "complete -c cospot"),
        ):
            require(text in (share / name).read_text(), f"{name} completes nothing")
        shutil.move(first, prefix)
        program = prefix / "bin" / "cospot"
        require("azure2020" in run(program, "list", cwd=here), "the program lists nothing")
        package = prefix / "lib" / "cospot" / "python" / "cospot"
        require(package.is_dir() == options.with_package, f"{package}: is it there?")
        if options.with_package:
            require(not list(package.rglob("__pycache__")), "compiled Python files were installed")
            require((package / "plots" / "style.py").is_file(), "the package is not whole")
        if options.with_python_policies:
            (here / "mine.py").write_text(POLICY)
            (here / "s.yaml").write_text(SCENARIO)
            text = run(program, "run", "s.yaml", "--timing", "off", cwd=here)
            require("python:mine.Last" in text, f"the Python policy did not run:\n{text}")


if __name__ == "__main__":
    main()
