"""Every file is written in one way: it follows nothing that others laid, and leaves nothing."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
from pathlib import Path

import pytest
from cospot import whole_file
from cospot.errors import ConfigError
from programs import printed_by, run_program
from small_studies import ONE_RUN as STUDY

ROOT = Path(__file__).parents[2]
PARTIAL = re.compile(r"out\.[a-z.]+\.[0-9a-f]{16}\.partial")

# What may stand in the sources beside the one way: an unfinished download, which the next process
# has to find; logs and locks, which are no results; folders that tempfile makes for this process.
WRITING = {
    "*.[ch]pp": (
        re.compile(r"\bO_CREAT\b|\bofstream\b|\bfopen\(|\brename\(|\bgzopen\([^)]*\"w"),
        {"base/files/stored_file.cpp", "data/downloads/part_file.cpp"},
    ),
    "*.py": (
        re.compile(
            r"\bopen\([^)]*[\"'][wax]b?\+?[\"']|\.write_(text|bytes)\(|mkstemp|NamedTemporaryFile"
            r"|os\.(replace|rename)\(|\bO_CREAT\b"
        ),
        {
            *("whole_file.py", "nova/line_file.py", "nova/scheduler/metrics.py"),
            *("sweeps/dask_sweep.py", "sweeps/shard_merge.py", "sweeps/shard_task.py"),
            "sweeps/shipped_workloads.py",
        },
    ),
}


@pytest.mark.parametrize("kind", WRITING)
def test_no_source_writes_files_in_a_way_of_its_own(kind: str) -> None:
    if not (ROOT / "sim_harness").is_dir():
        pytest.skip("there are no sources")
    pattern, allowed = WRITING[kind]
    folders = ["python/cospot"] if kind == "*.py" else ["core", "sim_harness", "bindings"]
    found = {
        str(source.relative_to(ROOT / folders[0] if kind == "*.py" else ROOT / "sim_harness"))
        for folder in folders
        for source in (ROOT / folder).rglob(kind)
        if any(
            pattern.search(line) and "meter.rename(" not in line and "void rename(" not in line
            for line in source.read_text(encoding="utf-8").splitlines()
        )
    }
    assert found <= allowed, found - allowed


def run(program: Path, folder: Path, *words: object, before: str = "") -> str:
    """Run the program after a line of shell that knows its process's number as `$$`."""
    script = f'{before}\nexec "$0" "$@"'
    return printed_by("sh", "-c", script, program, *words, cwd=folder)


@pytest.mark.parametrize(
    ("words", "output"),
    [
        ("compare s.yaml -q --db new.db --csv out.csv", "out.csv"),
        ("compare s.yaml -q --db new.db --timeline --timeline-csv out.csv", "out.csv"),
        ("run s.yaml --events out.csv", "out.csv"),
        ("run s.yaml --events out.csv.gz", "out.csv.gz"),
        ("summary r.db --csv out.csv", "out.csv"),
        ("report r.db -o out.html", "out.html"),
        ("workload convert w.csv -o out.csv", "out.csv"),
        ("workload sample w.csv -o out.csv --probability 0.5", "out.csv"),
        ("workload generate azure2020 -o out.csv --scale 0.001", "out.csv"),
        ("lifetime spots w.csv -o out.csv", "out.csv"),
    ],
)
def test_what_others_have_laid_is_not_written_to(
    program: Path, tmp_path: Path, words: str, output: str
) -> None:
    (tmp_path / "s.yaml").write_text(STUDY)
    run(program, tmp_path, "compare", "s.yaml", "-q", "--db", "r.db")
    run(program, tmp_path, "workload", "generate", "azure2020", "-o", "w.csv", "--scale", "0.001")
    precious = tmp_path / "precious"
    precious.write_text("precious")
    before = {each.name for each in tmp_path.iterdir()}
    laid = [f"{output}.$$.partial", f"{output}.part$$", f"{output}.part", f".{output}.$$"]
    lay = "\n".join(f"ln -s precious {name}" for name in laid)
    run(program, tmp_path, *words.split(), before=lay)
    assert precious.read_text() == "precious"
    left = {each.name for each in tmp_path.iterdir() if not each.is_symlink()}
    assert left - before - {"new.db"} == {output}


def kill_at_4_kib() -> None:
    """Have the kernel kill this process when a file of it gets larger."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test_what_a_kill_leaves_the_next_run_removes(program: Path, tmp_path: Path) -> None:
    words = ["workload", "generate", "azure2020", "-o", "out.csv.gz", "--scale", "0.001"]
    killed = run_program(program, *words, cwd=tmp_path, preexec_fn=kill_at_4_kib)
    assert killed.returncode == -signal.SIGXFSZ
    (left,) = tmp_path.iterdir()
    assert PARTIAL.fullmatch(left.name)
    (tmp_path / "other.csv.0123456789abcdef.partial").write_text("of another output")
    run(program, tmp_path, *words)
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == ["other.csv.0123456789abcdef.partial", "out.csv.gz"]


@pytest.mark.parametrize("output", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"])
def test_standard_output_may_be_any_file(program: Path, tmp_path: Path, output: str) -> None:
    """In a file it goes on where the output is, and is not put in the place of the device."""
    (tmp_path / "s.yaml").write_text(STUDY)
    run(program, tmp_path, "compare", "s.yaml", "-q", "--db", "r.db")
    words = [program, "summary", "r.db", "--csv"]
    plain = subprocess.run([*words, "out.csv"], cwd=tmp_path, capture_output=True, check=True)
    csv = (tmp_path / "out.csv").read_bytes()
    with (tmp_path / "all").open("wb") as file:
        file.write(b"before\n")
        file.flush()
        subprocess.run([*words, output], cwd=tmp_path, stdout=file, check=True)
    assert (tmp_path / "all").read_bytes() == b"before\n" + csv + plain.stdout
    piped = subprocess.run([*words, output], cwd=tmp_path, capture_output=True, check=True)
    assert piped.stdout == csv + plain.stdout
    assert Path("/dev/stdout").is_symlink()


def test_a_database_is_not_made_at_the_end_of_a_link(program: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(STUDY)
    (tmp_path / "r.db").symlink_to("elsewhere.db")
    done = run_program(program, "compare", "s.yaml", "-q", "--db", "r.db", cwd=tmp_path)
    assert done.returncode == 2 and "r.db: is a link to nothing" in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["r.db", "s.yaml"]
    # One that leads to results is the user's own way to keep them elsewhere.
    run(program, tmp_path, "compare", "s.yaml", "-q", "--db", "elsewhere.db")
    run(program, tmp_path, "compare", "s.yaml", "-q", "--db", "r.db", "--resume")


def test_python_writes_as_the_program_does(tmp_path: Path) -> None:
    path, precious = tmp_path / "out.txt", tmp_path / "precious"
    precious.write_text("precious")
    (tmp_path / "out.txt.1111111111111111.partial").symlink_to("precious")
    (tmp_path / "out.txt.2222222222222222.partial").write_text("half")
    (tmp_path / "outrtxt.3333333333333333.partial").write_text("of another output")
    whole_file.replace_file(path, b"new", mode=0o604, exactly=True)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o604)
    assert precious.read_text() == "precious"
    assert not (tmp_path / "out.txt.2222222222222222.partial").exists()
    assert (tmp_path / "outrtxt.3333333333333333.partial").exists()
    link = tmp_path / "link"
    link.symlink_to("out.txt")
    whole_file.write_file(link, b"through")
    assert (link.is_symlink(), path.read_bytes()) == (True, b"through")
    whole_file.replace_file(link, b"in its place")
    assert (link.is_symlink(), path.read_bytes()) == (False, b"through")


def test_python_does_not_follow_the_link_of_another_user(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a link away")
    (tmp_path / "link").symlink_to("out.txt")
    os.lchown(tmp_path / "link", 65534, 65534)
    with pytest.raises(ConfigError, match="cannot be written: it leads through a link"):
        whole_file.write_file(tmp_path / "link", b"x")
    assert [each.name for each in tmp_path.iterdir()] == ["link"]
