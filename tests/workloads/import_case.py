"""A folder each, the program, tables and refusals: the tests of `cospot workload` share them."""

import csv
import gzip
import io
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["COSPOT_PROGRAM"]


class ProgramCase(unittest.TestCase):
    """Each test has a folder of its own, in which the program runs."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="cospot-workload-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def cospot(self, command, *more):
        """Run a command, split as a shell does, with more words."""
        return subprocess.run(
            [PROGRAM, *shlex.split(command), *map(str, more)],
            cwd=self.folder, timeout=300, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def write_json(self, name, value):
        self.write(name, json.dumps(value))
        return name

    def rows(self, name="w.csv"):
        data = (self.folder / name).read_bytes()
        lines = (gzip.decompress(data) if name.endswith(".gz") else data).decode().splitlines(True)
        self.statements = dict(
            line[2:].strip().split(": ") for line in lines if line.startswith("#")
        )
        table = "".join(line for line in lines if not line.startswith("#"))
        return list(csv.DictReader(io.StringIO(table)))

    def column(self, name):
        return [row[name] for row in self.rows()]


class ImportCase(ProgramCase):
    """Drives `cospot workload import`; the first word of each call is split as a shell does."""

    def import_files(self, command, *more):
        """Import into w.csv and return what was printed; warnings are kept."""
        done = self.cospot(f"workload import -o w.csv {command}", *more)
        self.warnings = done.stderr.splitlines()
        assert done.returncode == 0, done.stderr
        assert all(line.startswith("cospot: warning: ") for line in self.warnings), done.stderr
        return done.stdout

    def refused(self, command, *more):
        """Return the error of an import that must leave nothing behind."""
        before = sorted(path.name for path in self.folder.iterdir())
        done = self.cospot(f"workload import -o refused.csv {command}", *more)
        assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
        assert sorted(path.name for path in self.folder.iterdir()) == before
        return done.stderr

    def refuse(self, command, *parts):
        """Check that the error of an import has all the parts."""
        error = self.refused(command)
        for part in parts:
            assert part in error, (part, error)

    def imported(self):
        """Return what expected_rows gives, of the imported workload."""

        def seconds(text):
            return None if text == "never" else float(text)

        return sorted(
            (
                (row["class"] == "spot", int(row["vcpus"]), int(row["memory_mb"]))
                + (seconds(row["start_s"]), seconds(row["end_s"]))
                for row in self.rows()
            ),
            key=lambda row: repr(
                tuple(int(value) if isinstance(value, float) else value for value in row)
            ),
        )
