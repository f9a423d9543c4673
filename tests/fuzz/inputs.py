"""Small valid inputs of every format that cospot reads, and the commands that read them."""

from __future__ import annotations

import gzip
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "python"), str(TESTS / "workloads")]

import operator_exports as exports  # noqa: E402
import packing_trace  # noqa: E402
from small_studies import SMALL_STUDIES  # noqa: E402

Files = dict[str, bytes]
#: Of a command that runs on a workload, for which these are few hosts.
HOSTS = "--host 10,10 --hosts 2"
#: What one study file makes, read in every way.
OF_RESULTS = (
    "summary r.db --csv s.csv",
    "summary r.db --json",
    "report r.db -o r.html",
    "merge m.db r.db",
)


@dataclass(frozen=True)
class Case:
    """Inputs of which one is changed, and commands that read it; @NAME is a file's text."""

    name: str
    files: Files
    changed: tuple[str, ...]
    commands: tuple[str, ...] = field(default=())


def requests(days: float) -> bytes:
    """VMs and spots from before the window to after it."""
    step = int(days * 2000)
    return (
        b"# window_days: %g\ninstance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
        % days
    ) + b"".join(
        b"i%d,t%d,%s,%d,%d,0,%d,%d\n"
        % (
            i,
            i % 3,
            b"spot" if i % 3 else b"vm",
            1 + i % 4,
            1 + i % 3,
            (i - 3) * step,
            (i + 3 * (1 + i % 5)) * step,
        )
        for i in range(45)
    )


REQUESTS = requests(1.5)


def cli(folder: str) -> Files:
    """The inputs of a test of the command line."""
    none = ("command", "expected_files", "expected_stdout", "expected_stderr")
    files = (TESTS / "cli" / folder).rglob("*")
    return {
        str(file.relative_to(TESTS / "cli" / folder)): file.read_bytes()
        for file in sorted(files)
        if file.is_file() and file.name not in none
    }


def own(*names: str) -> Files:
    """Files next to this one."""
    return {name: (TESTS / "fuzz" / "files" / name).read_bytes() for name in names}


def made(write: Callable[[Path], object], name: str) -> Files:
    """A file that a function writes."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return {name: (Path(folder) / name).read_bytes()}


def run_once(program: Path, files: Files, command: str, *results: str) -> Files:
    """Return the files that a valid command writes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, files)
        subprocess.run(
            [program, *shlex.split(command)], cwd=folder, check=True, capture_output=True
        )
        return {result: (folder / result).read_bytes() for result in results}


def case(name: str, files: Files, changed: str, *commands: str) -> Case:
    """The changed files by their names, in one text."""
    assert all(file in files for file in changed.split()), (name, sorted(files))
    return Case(name, files, tuple(changed.split()), commands)


def workload_cases() -> list[Case]:
    requests = {"requests.csv": REQUESTS, "packed.csv.gz": gzip.compress(REQUESTS, mtime=0)}
    release = b"vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n" + b"".join(
        b"v%d,t%d,%d,%d,%d,%.2f,%.2f\n"
        % (i, i % 3, 1 + i % 4, 2, 1 if i % 3 else 0, i / 3 - 0.5, i / 3 + i % 5 / 2)
        for i in range(45)
    )
    of_one = (
        "workload info W",
        "workload convert W -o out.csv.gz",
        f"tune W {HOSTS} --parts 2 --vm UTIL --spot sDPD --evictor FIFO --otn 1 -q -j1 -o t.yaml",
        "workload sample W -o o.csv --probability 0.5 --seed 1",
        f"plan W {HOSTS} --vm UTIL --spot sDPD --evictor FIFO --otn 1 --parts 3 -q"
        " --price on-demand=2,spot=1"
        " --max-vm-loss 9 -j1",
        "size W --vm UTIL --host 10,10",
        f"signals W {HOSTS} -q --db s.db",
        "classes W --servers 30",
        "economy plan W --capacity 99 --period-hours 1 --training-days 0.5 --horizon-days 0.25",
        f"sla quote W {HOSTS} --at-hours 2 --set target=0.1",
        "lifetime spots W -o l.csv",
    )

    def commands(name: str) -> list[str]:
        return [command.replace(" W ", f" {name} ").replace(" W", f" {name}") for command in of_one]

    placed = cli("levels")
    return [
        case("workload", requests, "requests.csv", *commands("requests.csv")),
        case("workload, gzip", requests, "packed.csv.gz", *commands("packed.csv.gz")[:2]),
        case("workload, release", {"w.csv": release}, "w.csv", *commands("w.csv")),
        case("workload, placed", placed, "placed.csv", "compare placed.yaml -q -j1 --csv r.csv"),
        case(
            "workload, Eucalyptus",
            cli("sla"),
            "spot.txt on_demand.txt",
            "compare study.yaml -q -j1",
        ),
        case(
            "hosts",
            cli("host_types"),
            "hosts.csv",
            "size requests.csv --vm UTIL --host hosts.csv",
            "run sweep.yaml --set host=hosts.csv --events e.csv",
            "workload info requests.csv --host hosts.csv",
        ),
        case(
            "hosts option",
            cli("host_types")
            | {
                "h.arg": b"[{type: a, count: 2, vcpus: 8, memory_mb: 16, zone: az1,"
                b" metadata: {disk: ssd}},"
                b" {type: b, count: 1, vcpus: 8, memory_mb: 16, zone: az2}]"
            },
            "h.arg",
            "size requests.csv --vm UTIL --host @h.arg",
        ),
        case(
            "disruptions",
            cli("life"),
            "failures.csv maintenance.csv resizes.csv",
            "run scenario.yaml --events e.csv",
            "compare study.yaml -q -j1",
        ),
        case(
            "models",
            cli("lpml") | {f"k/{k}": v for k, v in cli("lpkm").items()},
            "models/short_lives.txt k/models/curves.txt",
            "run scenario.yaml",
            "run k/scenario.yaml",
        ),
        case(
            "packing trace",
            made(
                lambda file: packing_trace.write_sqlite(packing_trace.make_trace(1, 40, 1), file),
                "t.db",
            ),
            "t.db",
            "workload reconstruct t.db -o w.csv",
        ),
        case(
            "--set",
            cli("compare") | {"s.arg": b"otn=[1,2]"},
            "s.arg",
            "compare sweep.yaml -q -j1 --set @s.arg",
        ),
    ]


def customer_cases() -> list[Case]:
    broker, demand = cli("broker"), {"d.csv": b"spot_price,share\n1,0.5\n2,0.25\n"}
    prices = own("prices.json", "events.csv", "map.csv", "map.yaml")
    run = "broker run broker.yaml --set bid=current --set fault_tolerance=migration --set seed=1"
    small = "--set deadline_hours=4 --set duration_hours=2 --set start_hours=0"
    return [
        case(
            "jobs",
            broker,
            "jobs.csv",
            f"{run} --set 'jobs={{csv: jobs.csv}}' --events e.csv",
            "classes jobs.csv",
            "economy plan jobs.csv --period-hours 0.02 --training-days 0.005 --horizon-days 0.0025"
            " --forecaster mean",
        ),
        case(
            "SWF",
            broker | cli("classes"),
            "jobs.swf log.swf",
            run,
            "classes log.swf --classes 1,2",
            "workload import log.swf --format swf --spot-if 'run_time < 5000' -o w.csv",
            "economy plan log.swf --forecaster mean --period-hours 1 --training-days 0.5"
            " --horizon-days 0.25",
        ),
        case("mapped jobs", broker | prices, "map.csv map.yaml", "compare map.yaml -q -j1"),
        case(
            "prices",
            broker | prices,
            "a.csv prices.json",
            run,
            f"{run} --set 'market=[{{type: m1.small, os:"
            " Linux/UNIX, datacenter: a, prices: prices.json}]'",
        ),
        case(
            "availability",
            broker | prices,
            "trace.csv trace.json events.csv",
            f"compare deadline.yaml -q -j1 --set trace=trace.csv {small}",
            "compare deadline.yaml -q -j1",
            f"compare deadline.yaml -q -j1 --set 'trace={{events: events.csv}}' {small}",
        ),
        case(
            "usage",
            cli("economy"),
            "usage.csv",
            "compare study.yaml -q -j1",
            "economy plan usage.csv --training-days 4 --horizon-days 4 --forecaster mean --json",
        ),
        case(
            "price lists",
            cli("price")
            | {
                "p.yaml": b"on-demand: 0.04\nspot: 0.01\ncurrency: EUR\n",
                "p.arg": b"on-demand=0.04,spot=0.012,currency=EUR",
            },
            "flavors.csv p.yaml p.arg",
            "workload info requests.csv --price flavors.csv",
            "workload info requests.csv --price p.yaml",
            "run sweep.yaml --price @p.arg",
        ),
        case(
            "demand",
            {"requests.csv": REQUESTS} | demand,
            "d.csv",
            f"plan requests.csv {HOSTS} --vm UTIL --spot sDPD --evictor FIFO"
            " --otn 1 --price on-demand=2,spot=1 --parts 3 --max-vm-loss 9 -q -j1 --demand d.csv",
        ),
    ]


def import_cases() -> list[Case]:
    drawn = exports.draw_instances(1, 12, 3)

    def imported(name: str, files: Files, changed: str, options: str) -> Case:
        return case(
            f"import {name}",
            files,
            changed,
            f"workload import {options} -o w.csv",
            f"workload import {options} --skip-bad-rows -o w.csv.gz",
        )

    def folder_of_alibaba(file: Path) -> None:
        exports.write_alibaba2018(file.parent)

    google = made(lambda file: exports.write_google(file, drawn), "g.csv")
    lines = made(lambda file: exports.write_google(file, drawn, json_lines=True), "g.json.gz")
    google["g.jsonl"] = gzip.decompress(lines["g.json.gz"])
    alibaba = {
        name: made(folder_of_alibaba, name)[name]
        for name in ("container_meta.csv", "batch_task.csv", "batch_instance.csv")
    } | made(exports.write_alibaba2023, "a23.csv")
    nova = made(lambda file: exports.write_nova_dump(file, drawn), "n.csv")
    nova |= own("usage.json", "servers.json", "flavors.json")
    pods = made(
        lambda file: exports.write_kubernetes(file, drawn[:4], 2, taken=300000), "pods.json"
    )
    table = own("table.csv") | {"vcpus.arg": b"case kind when 'spot' then cpu * 2 else cpu end"}
    mapped = (
        "table.csv --separator ';' --time-unit iso --time-zone Europe/Berlin"
        " --map instance_id=id --map tenant_id=who --map 'vcpus=@vcpus.arg' --map memory_mb=mem"
        " --map start_s='\"from\"' --map end_s='\"to\"'"
        " --spot-if \"kind = 'spot'\""
    )
    return [
        imported("Google, CSV", google, "g.csv", "g.csv --format google2019"),
        imported("Google, JSON lines", google, "g.jsonl", "g.jsonl --format google2019"),
        imported("Alibaba tasks", alibaba, "batch_task.csv", "batch_task.csv --format alibaba2018"),
        imported(
            "Alibaba instances",
            alibaba,
            "batch_instance.csv",
            "batch_instance.csv --format alibaba2018",
        ),
        imported(
            "Alibaba containers",
            alibaba,
            "container_meta.csv",
            "container_meta.csv --format alibaba2018",
        ),
        imported("Alibaba 2023", alibaba, "a23.csv", "a23.csv --format alibaba2023"),
        imported(
            "Nova dump", nova, "n.csv", "n.csv --format openstack --spot-if \"flavor like 'b%'\""
        ),
        imported("Nova usage", nova, "usage.json", "usage.json --format openstack --spot-if 0"),
        imported(
            "Nova servers",
            nova,
            "servers.json flavors.json",
            "servers.json --format openstack --flavors flavors.json --spot-if 0",
        ),
        imported(
            "Kubernetes",
            pods,
            "pods.json",
            "pods.json --format kubernetes --spot-if 'priority < 0' --hosts-out h.csv",
        ),
        imported("table", table, "table.csv vcpus.arg", mapped),
    ]


#: Study files beyond the small ones, with what reads them.
MORE_STUDIES = {
    "life/scenario.yaml": "run",
    "notice/scenario.yaml": "run",
    "parts/scenario.yaml": "run",
    "offers/sweep.yaml": "compare",
    "host_types/sweep.yaml": "run",
    "levels/placed.yaml": "compare",
    "schedulers/groups.yaml": "compare",
    "degradation/apart.yaml": "compare",
    "sla/placed.yaml": "compare",
    "classes/scenario.yaml": "classes",
    "lpml/scenario.yaml": "run",
}


def own_output_cases(program: Path) -> list[Case]:
    """Files that one command writes for another."""
    history = {"w.csv": requests(12)}
    planned = (
        f"plan w.csv {HOSTS} --vm UTIL --spot sDPD --evictor FIFO --otn 1 --parts 3 -q -j1"
        " --price on-demand=2,spot=1 --max-vm-loss 9"
    )
    history |= run_once(program, history, f"{planned} -o plan.yaml", "plan.yaml")
    history |= own("with.yaml")
    usage = cli("economy") | own("forecasts.csv")
    forecasts = "usage.csv --training-days 4 --horizon-days 4 --forecaster ets --forecasts"
    return [
        case("plan", history, "plan.yaml", "sla quote plan.yaml --at-hours 20 --set target=0.1"),
        case("--with", history, "with.yaml", f"{planned} --with with.yaml"),
        case(
            "forecasts",
            usage,
            "forecasts.csv",
            f"economy plan {forecasts} forecasts.csv",
            f"economy backtest {forecasts} forecasts.csv",
        ),
    ]


def study_cases(program: Path) -> list[Case]:
    """Every study: its file, and its results, which the program makes once."""
    studies = {path: "compare" for path in SMALL_STUDIES.values()} | MORE_STUDIES
    cases = []
    for path, command in studies.items():
        folder, file = path.split("/")
        files = cli(folder)
        if folder == "signals":  # needs no other file, and three runs would take long
            files[file] = (
                files[file].replace(b"scale: 0.002", b"scale: 0.0002").replace(b"119", b"12")
            )
        options = " -q -j1 --force --db r.db" if command == "compare" else ""
        cases.append(case(path, files, file, f"{command} {file}{options}"))
        if path not in SMALL_STUDIES.values():
            continue
        results = run_once(program, files, f"compare {file} -q --db r.db", "r.db")
        resume = f"compare {file} -q -j1 --resume --db r.db"
        cases.append(case(f"results of {path}", files | results, "r.db", *OF_RESULTS, resume))
    return cases


def write_files(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def all_cases(program: Path) -> list[Case]:
    """Every case, in an order that stays."""
    cases = [*workload_cases(), *customer_cases(), *import_cases()]
    cases += [*own_output_cases(program), *study_cases(program)]
    random.Random(0).shuffle(cases)  # so that a short run meets all kinds
    return cases
