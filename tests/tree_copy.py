"""A copy of the tree, to be changed and built while the tree itself stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class TreeCopy:
    """The files of the tree, tracked or new, in another folder."""

    def __init__(self, folder: Path) -> None:
        """Nothing is copied yet."""
        self.folder = folder
        self.build_folder = folder / "build" / "release"

    def update(self, unlike: tuple[str, ...] = ()) -> None:
        """Bring the folder to the state of the tree, but for names that start so."""
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file() and not name.startswith(unlike or ("\0",)):
                self.write(name, (ROOT / name).read_bytes(), (ROOT / name).stat().st_mode)

    def write(self, name: str, content: bytes, mode: int = 0o644) -> None:
        """Write a file; one that is the same keeps its time, and so what is built of it."""
        path = self.folder / name
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)

    def configure(self) -> subprocess.CompletedProcess[str]:
        """Prepare a build as the preset release, by a compiler cache where there is one."""
        options = [f"-DCOSPOT_BUILD_{part}=OFF" for part in ("PYTHON", "BENCH", "BOOST_PYTHON")]
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        return self._run("cmake", "--preset", "release", *options)

    def build(self, *targets: str, jobs: int) -> subprocess.CompletedProcess[str]:
        """Configure and build some targets."""
        done = self.configure()
        if done.returncode != 0:
            return done
        words = ("-j", str(jobs), "--target", *targets, "--", "-k", "0")
        return self._run("cmake", "--build", "--preset", "release", *words)

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}
        environment.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros")
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
