"""What holds for every file that the program reads: encodings, mistyped years, endless gzip."""

from __future__ import annotations

import gzip
import os
import re
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import cospot
import pytest
from programs import run_program
from small_studies import FIRST_FIT as RUN
from small_studies import REQUESTS

INPUTS = Path(__file__).resolve().parents[2] / "examples" / "inputs"
MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
HOUR = 3600
SOCC = "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime\na,t,0,1,1,0,5\nb,t,1,1,1,1,5\n"
BROKER = """\
study: broker
market: [{%s: FILE, type: m1.small, os: Linux/UNIX, datacenter: a%s}]
jobs: {synthetic: grid, count: 5, days: 1}
bid: on_demand
fault_tolerance: none
alpha: 2
seed: 1
"""
EC2 = """\
{"SpotPriceHistory": [
{"AvailabilityZone": "a", "InstanceType": "m1.small", "ProductDescription": "Linux/UNIX",
 "SpotPrice": "0.02", "Timestamp": "2026-03-20T00:00:00Z"},
{"AvailabilityZone": "a", "InstanceType": "m1.small", "ProductDescription": "Linux/UNIX",
 "SpotPrice": "0.03", "Timestamp": "2026-03-01T00:00:00Z"}]}
"""
PODS = """\
{"kind": "List", "items": [{"kind": "Pod", "metadata": {"uid": "u", "name": "p", "namespace": "n",
"creationTimestamp": "2026-03-01T00:00:00Z"}, "spec": {"nodeName": "n1", "containers": [
{"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]},
"status": {"phase": "Running", "startTime": "2026-03-01T00:00:00Z"}}]}
"""
SERVERS = """\
[{"uuid": "a", "project_id": "p", "vcpus": 1, "memory_mb": 1024,
"created_at": "2026-03-01T00:00:00", "launched_at": "2026-03-01T00:00:00",
"deleted_at": "2026-03-02T00:00:00"}]
"""
EVENTS = "time_s,event,class\n0,placement,spot\n900000,eviction,spot\n1800000,placement,spot\n"
IMPORT = "workload import FILE --spot-if 0 --window-days 14 -o o.csv --format "
TABLE = (
    "workload import FILE --time-unit s --spot-if 0 -o o.csv --map instance_id=id --map vcpus=cpu"
    " --map memory_mb=ram --map start_s=start --map end_s=end"
)
DEADLINE = (
    "study: deadline\ntrace: {file: FILE%s}\nduration_hours: 4\ndeadline_hours: 8\n"
    "start_hours: 0\non_demand_price: 1\n"
)


def swf(*jobs: tuple[int, float, float, float, int]) -> str:
    """Return jobs of number, submission, wait, run time and status on one processor."""
    rest = "-1 -1 1 -1 -1 {} 1 1 1 1 1 -1 -1"
    return "".join(
        f"{job} {start} {wait} {run} 1 {rest.format(status)}\n"
        for job, start, wait, run, status in jobs
    )


def without_digests(said: str) -> str:
    """Return what was said without the SHA-256 of files."""
    return re.sub("[0-9a-f]{64}", "", said)


def by_study(study: str) -> Callable[[Path], None]:
    """Write a study that names the file."""
    return lambda file: (file.parent / "study.yaml").write_text(study.replace("FILE", file.name))  # type: ignore[return-value]


LOG = swf(*((i, HOUR * i, 0, 1800 * (1 + i % 3), 1) for i in range(1, 60)))
JOBS = "submission_s,duration_s,nodes\n" + "".join(
    f"{HOUR * i},{1800 * (1 + i % 3)},1\n" for i in range(60)
)
LAST_JOB = swf((60, 0, 0, 60, 1)).replace("60 0", "60 {}", 1)
USAGE = "time_s,capacity,used\n" + "".join(f"{12 * HOUR * i},10,{i % 7}\n" for i in range(60))
DISRUPTIONS = "host,start_s,end_s\nhost-0,3600,7200\n"
ECONOMY = "economy plan FILE --training-days 1 --horizon-days 1 --json"
#: What is read: a name of the file, its contents, the command that reads it, what is written first.
READERS: dict[str, tuple[str, str, str, Callable[[Path], None] | None]] = {
    "workload": ("w.csv", REQUESTS, "workload info FILE", None),
    "workload, socc22": ("w.csv", SOCC, "workload info FILE", None),
    "hosts": (
        "h.csv",
        "name,vcpus,memory_mb\na,8,8\nb,8,8\n",
        "run study.yaml --events o.csv",
        by_study(RUN.replace("host: {vcpus: 10, memory_mb: 10}\nhosts: 3", "host: FILE")),
    ),
    "maintenance": (
        "m.csv", DISRUPTIONS, "run study.yaml --events o.csv",
        by_study(RUN + "disruptions: {maintenance: FILE}\n"),
    ),
    "prices of flavors": (
        "p.csv", "vcpus,memory_mb,on_demand,spot\n6,2,3,1\n2,4,2,1\n",
        "run study.yaml --price FILE --events o.csv", by_study(RUN),
    ),
    "price list": (
        "p.yaml", "on-demand: 2\nspot: 1\n", "run study.yaml --price FILE --events o.csv",
        by_study(RUN),
    ),
    "study": ("s.yaml", RUN, "run FILE --events o.csv", None),
    "SWF, classes": ("j.swf", LOG, "classes FILE --classes 1 --partition equal", None),
    "SWF, economy": ("j.swf", LOG, ECONOMY, None),
    "SWF, import": ("j.swf", LOG, IMPORT + "swf", None),
    "SWF, broker": (
        "j.swf",
        LOG,
        "broker run study.yaml",
        by_study(
            BROKER.replace("{synthetic: grid, count: 5, days: 1}", "{swf: FILE}").replace(
                "[{%s: FILE, type: m1.small, os: Linux/UNIX, datacenter: a%s}]",
                "{synthetic: us_east_2011, seed: 1, days: 30}",
            )
        ),
    ),
    "job table, classes": ("j.csv", JOBS, "classes FILE --classes 1 --partition equal", None),
    "job table, economy": ("j.csv", JOBS, ECONOMY, None),
    "usage": ("u.csv", USAGE, ECONOMY, None),
    "prices": (
        "p.csv", "time,price\n0,0.02\n1728000,0.03\n", "broker run study.yaml",
        by_study(BROKER % ("prices", "")),
    ),
    "prices of EC2": ("p.json", EC2, "broker run study.yaml", by_study(BROKER % ("prices", ""))),
    "availability": (
        "a.csv", "time,available\n0,1\n1728000,0\n", "broker run study.yaml",
        by_study(BROKER % ("availability", ", price: 0.02")),
    ),
    "availability, JSON": (
        "a.json",
        f'{{"metadata": {{"gap_seconds": 7200}}, "data": {[1] * 200}}}',
        "broker run study.yaml",
        by_study(BROKER % ("availability", ", price: 0.02")),
    ),
    "availability, deadline": (
        "a.csv",
        "time,available,price\n0,1,0.5\n172800,0,\n",
        "compare study.yaml -q --db d.db --csv o.csv --force",
        by_study(DEADLINE % ", gap_seconds: 300"),
    ),
    "events": (
        "e.csv", EVENTS, "broker run study.yaml", by_study(BROKER % ("events", ", price: 0.02")),
    ),
    "import of a table": ("t.csv", "id,cpu,ram,start,end\na,1,1,0,9\nb,1,1,5,9\n", TABLE, None),
    "import of lines of JSON": (
        "t.jsonl",
        '{"id": "a", "cpu": 1, "ram": 1, "start": 0, "end": 9}\n'
        '{"id": "b", "cpu": 1, "ram": 1, "start": 5, "end": 9}\n',
        TABLE,
        None,
    ),
    "import of servers": ("s.json", SERVERS, IMPORT + "openstack", None),
    "import of pods": ("p.json", PODS, IMPORT + "kubernetes", None),
}  # fmt: skip
#: Of a series, a last entry with a time for {}.
ENDLESS: dict[str, tuple[str, str]] = {
    **{f"SWF, {name}": ("", LAST_JOB) for name in ("classes", "economy", "broker")},
    **{f"job table, {name}": ("", "{},60,1\n") for name in ("classes", "economy")},
    "usage": ("", "{},10,1\n"),
    "prices": ("", "{},0.02\n"),
    "prices of EC2": ("2026-03-20T00:00:00Z", "9999-01-01T00:00:00Z"),
    "availability": ("", "{},1\n"),
    "availability, deadline": ("", "{},1,0.5\n"),
    "events": ("", "{},placement,spot\n"),
    "maintenance": ("", "host-1,0,{}\n"),
    "workload": ("", "i2,t,vm,1,1,0,{},never\n"),
}


def call(
    program: Path, folder: Path, command: str, *, memory_mb: int | None = None
) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if memory_mb is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))

    environment = {**os.environ, "NO_COLOR": "1"}
    words = command.split()
    return run_program(program, *words, cwd=folder, preexec_fn=limit, env=environment)


def read(
    program: Path, folder: Path, reader: str, data: bytes, *, memory_mb: int | None = None
) -> tuple[int, str, str]:
    """Let the program read a file; its exit code, what it said, and what it wrote."""
    name, _, command, prepare = READERS[reader]
    folder.mkdir(exist_ok=True)
    (folder / "r.csv").write_text(REQUESTS)
    file = folder / name
    file.write_bytes(data)
    if prepare is not None:
        prepare(file)
    done = call(program, folder, command.replace("FILE", name), memory_mb=memory_mb)
    written = folder / "o.csv"
    said = done.stdout + done.stderr
    return done.returncode, said, written.read_text() if written.exists() else ""


@pytest.mark.parametrize("reader", READERS)
def test_a_byte_order_mark_does_not_count(program: Path, tmp_path: Path, reader: str) -> None:
    text = READERS[reader][1]
    plain = read(program, tmp_path / "plain", reader, text.encode())
    assert plain[0] == 0, plain[1]
    marked = read(program, tmp_path / "marked", reader, (MARK + text).encode())
    # The first says how long it took.
    if not READERS[reader][2].startswith("run "):
        assert without_digests(marked[1]) == without_digests(plain[1])
    if not READERS[reader][2].startswith("compare "):
        assert marked[2] == plain[2]


@pytest.mark.parametrize("reader", READERS)
def test_another_encoding_is_an_error_that_names_it(
    program: Path, tmp_path: Path, reader: str
) -> None:
    text = READERS[reader][1]
    for encoding in ("utf-16", "utf-16-be", "utf-16-le", "utf-32"):
        code, said, _ = read(program, tmp_path / encoding, reader, text.encode(encoding))
        assert code == 2, said
        name = encoding[:6].upper()
        assert f"{READERS[reader][0]}: the file is {name}, expected UTF-8: iconv" in said
    # A letter of Latin-1 where a text or a number stands.
    at = max(text.rfind(","), text.rfind(" ")) + 1
    code, said, _ = read(
        program, tmp_path / "latin", reader, text[:at].encode() + b"\xe4" + text[at:].encode()
    )
    assert code == 2, said
    assert READERS[reader][0] in said
    assert "UTF-8" in said


@pytest.mark.parametrize("reader", ENDLESS)
def test_a_mistyped_year_is_an_error_at_once(program: Path, tmp_path: Path, reader: str) -> None:
    old, new = ENDLESS[reader]
    text = READERS[reader][1]
    # 9999-01-01 in seconds since 1970; in the days that some readers count it is as far away.
    text = text.replace(old, new, 1) if old else text + new.format(253370764800)
    code, said, _ = read(program, tmp_path, reader, text.encode(), memory_mb=600)
    assert code == 2, said
    assert READERS[reader][0] in said
    assert "out of memory" not in said


def test_stretches_of_jobs_do_not_count_beside_the_whole(program: Path, tmp_path: Path) -> None:
    """Every command reads a log with the stretches of its jobs as the log without them."""
    jobs = [(i, HOUR * i, 600, 1800 * (1 + i % 3), 1) for i in range(1, 60)]
    parts = []
    for job, start, wait, run, status in jobs:
        parts += [
            (job, start, wait, run, status),
            (job, start, wait, run / 2, 2),
            # The standard states a submission for the first stretch only.
            (job, -1, 60, run / 2, 3 + job % 2),
        ]
    for reader in ("SWF, classes", "SWF, economy", "SWF, import", "SWF, broker"):
        whole = read(program, tmp_path / "whole", reader, swf(*jobs).encode())
        assert whole[0] == 0, whole[1]
        said, written = read(program, tmp_path / "parts", reader, swf(*parts).encode())[1:]
        left_out = "  left out: 118 lines with stretches of jobs that have a line for the whole\n"
        assert (left_out in said) == (reader == "SWF, import")
        said = said.replace(left_out, "")
        assert without_digests(said) == without_digests(whole[1])
        assert written == whole[2]


def test_ids_have_64_bits_in_every_command(program: Path, tmp_path: Path) -> None:
    log = "".join(
        f"{70296325381051 + i} {HOUR * i} 0 1800 1 -1 -1 1 -1 -1 1 70296325381051 70296325381051 "
        "70296325381051 70296325381051 70296325381051 -1 -1\n"
        for i in range(60)
    )
    for reader in ("SWF, classes", "SWF, economy", "SWF, import", "SWF, broker"):
        code, said, written = read(program, tmp_path / "log", reader, log.encode())
        assert code == 0, said
        assert reader != "SWF, import" or "70296325381110,70296325381051,vm" in written


def test_a_job_whose_end_is_unknown_is_no_request(program: Path, tmp_path: Path) -> None:
    """It is over, whatever its status says: failed, cancelled, completed, unknown."""
    jobs = [(1, 0, 0, 60, 1), (6, 9000, 0, 60, 1)]
    jobs[1:1] = [(2 + i, 100, 10, (-1, -110)[i % 2], s) for i, s in enumerate((0, 1, 5, -1))]
    code, said, written = read(program, tmp_path, "SWF, import", swf(*jobs).encode())
    assert code == 0, said
    # The cancelled one has not run.
    assert "left out: 1 rows that are no requests" in said
    assert "left out: 3 rows that are over, at a time that is unknown" in said
    assert [line.split(",")[0] for line in written.splitlines()[2:]] == ["1", "6"]


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_a_small_file_does_not_unpack_without_end(
    program: Path, tmp_path: Path, suffix: str
) -> None:
    """What does not look like a table is refused at once; what does, before it takes all memory."""
    start = {".csv": REQUESTS, ".json": '{"SpotPriceHistory": ['}[suffix]
    command = {".csv": "workload info x.csv.gz", ".json": "broker run study.yaml"}[suffix]
    (tmp_path / "study.yaml").write_text((BROKER % ("prices", "")).replace("FILE", "x.json.gz"))
    # Each becomes 200 MB: of zeros, of one line, of lines.
    for filler in (b"\0" * 1000, b"a" * 1000, b"i9,t,vm,1,1,0,0,never\n" * 50):
        file = tmp_path / f"x{suffix}.gz"
        with gzip.open(file, "wb", compresslevel=9) as packed:
            packed.write(start.encode())
            for _ in range(200):
                packed.write(filler * 1000)
        assert file.stat().st_size < 1_000_000
        done = call(program, tmp_path, command, memory_mb=900)
        assert done.returncode == 2, done.stderr
        assert f"x{suffix}.gz:" in done.stderr
        assert "out of memory" not in done.stderr


def test_out_of_memory_is_no_internal_error(program: Path, tmp_path: Path) -> None:
    shutil.copy(INPUTS / "requests.csv.gz", tmp_path / "r.csv.gz")
    with (tmp_path / "r.csv").open("w") as file:
        file.write(REQUESTS)
        file.writelines(f"x{i},t,vm,1,1,0,{i},never\n" for i in range(1_000_000))
    done = call(program, tmp_path, "workload info r.csv", memory_mb=100)
    assert done.returncode == 2
    assert done.stderr.startswith("cospot: out of memory; expected")


def test_the_package_skips_the_mark_as_the_program_does(program: Path, tmp_path: Path) -> None:
    """The tables that the program writes, and that an editor saved again."""
    from cospot.lifetime.spots import read_spots

    (tmp_path / "r.csv").write_text(REQUESTS)
    done = call(program, tmp_path, "lifetime spots r.csv -o spots.csv")
    assert done.returncode == 0, done.stderr
    plain, marked, latin = (tmp_path / f"{name}.csv" for name in ("spots", "marked", "latin"))
    marked.write_bytes(MARK.encode() + plain.read_bytes())
    assert read_spots([marked]).vcpus.tolist() == read_spots([plain]).vcpus.tolist() == [2]
    latin.write_bytes(plain.read_bytes() + b"\xe4")
    with pytest.raises(cospot.InputError, match="latin.csv: is not text in UTF-8"):
        read_spots([latin])


def test_the_tools_for_nova_skip_the_mark(tmp_path: Path) -> None:
    pytest.importorskip("oslo_config")
    from cospot.nova.tools.history import lifetimes_file
    from cospot.nova.tools.plan.plan_file import read_plan

    workload = tmp_path / "w.csv"
    lifetimes_file.write(workload, {"a": 60.0})
    asked = lifetimes_file.path_beside(workload)
    asked.write_bytes(MARK.encode() + asked.read_bytes())
    assert lifetimes_file.read(workload) == {"a": 60.0}
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"{MARK}#   sell nothing\n", encoding="utf-8")
    assert read_plan(str(plan)).decision == ["sell nothing"]
