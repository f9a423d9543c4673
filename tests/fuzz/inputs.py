"""Small valid inputs of every format that cospot reads, and the commands that read them."""

from __future__ import annotations

import gzip
import random
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
    "summary r.db --json --price on-demand=2,spot=1",
    "report r.db -o r.html",
    "merge m.db r.db",
)


@dataclass(frozen=True)
class Case:
    """Inputs of which one is changed each time, and the commands that read it; @NAME is a file's text."""

    name: str
    files: Files
    changed: tuple[str, ...]
    commands: tuple[str, ...] = field(default=())


def cli(folder: str) -> Files:
    """The inputs of a test of the command line."""
    none = ("command", "expected_files", "expected_stdout", "expected_stderr")
    files = (TESTS / "cli" / folder).rglob("*")
    return {
        str(file.relative_to(TESTS / "cli" / folder)): file.read_bytes()
        for file in sorted(files)
        if file.is_file() and file.name not in none
    }


def made(write: Callable[[Path], object], name: str) -> Files:
    """A file that a function writes."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return {name: (Path(folder) / name).read_bytes()}


def case(name: str, files: Files, changed: str, *commands: str) -> Case:
    """The changed files by their names, in one text."""
    assert all(file in files for file in changed.split()), (name, sorted(files))
    return Case(name, files, tuple(changed.split()), commands)


def workload_cases() -> list[Case]:
    requests = cli("life") | {"packed.csv.gz": gzip.compress(cli("life")["requests.csv"], mtime=0)}
    release = b"vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n" + b"".join(
        b"v%d,t%d,%d,%d,%d,%s,%d\n" % (i, i % 3, 1 + i % 5, 2, i % 2, b"-0.5" if i < 3 else b"0.25", 1 + i)
        for i in range(12)
    )
    of_one = (
        "workload info W", "workload convert W -o out.csv.gz", f"tune W {HOSTS} --parts 2 --vm UTIL --spot sDPD"
        " --evictor FIFO --otn 1 -q -j1 -o t.yaml", "workload sample W -o o.csv --fraction 0.5 --seed 1",
        f"plan W {HOSTS} --vm UTIL --spot sDPD --evictor FIFO --otn 1 --price on-demand=2,spot=1 --parts 3 -q"
        " --max-vm-loss 9 -j1", "size W --vm UTIL --host 10,10", f"signals W {HOSTS} -q -o s.json",
        "classes W --servers 3", "economy plan W --capacity 99 --training-days 0.3 --horizon-days 0.2",
        f"sla quote W {HOSTS} --at-hours 2 --set target=0.1", "lifetime spots W -o l.csv",
    )  # fmt: skip

    def commands(name: str) -> list[str]:
        return [command.replace(" W ", f" {name} ").replace(" W", f" {name}") for command in of_one]

    placed = cli("levels")
    return [
        case("workload", requests, "requests.csv", *commands("requests.csv")),
        case("workload, gzip", requests, "packed.csv.gz", *commands("packed.csv.gz")[:2]),
        case("workload, release", {"w.csv": release}, "w.csv", *commands("w.csv")),
        case("workload, placed", placed, "placed.csv", "compare placed.yaml -q -j1 --csv r.csv"),
        case("workload, Eucalyptus", cli("sla"), "spot.txt on_demand.txt", "compare study.yaml -q -j1"),
        case("hosts", cli("host_types"), "hosts.csv", "size requests.csv --vm UTIL --host hosts.csv",
             "run sweep.yaml --set host=hosts.csv --events e.csv", "workload info requests.csv --host hosts.csv"),
        case("hosts option", cli("host_types") | {"h.arg": b"[{type: a, count: 2, vcpus: 8, memory_mb: 16}]"},
             "h.arg", "size requests.csv --vm UTIL --host @h.arg"),
        case("disruptions", cli("life"), "failures.csv maintenance.csv resizes.csv",
             "run scenario.yaml --events e.csv", "compare study.yaml -q -j1"),
        case("models", cli("lpml") | {f"k/{k}": v for k, v in cli("lpkm").items()},
             "models/short_lives.txt k/models/curves.txt", "run scenario.yaml", "run k/scenario.yaml"),
        case("packing trace", made(lambda file: packing_trace.write_sqlite(
                 packing_trace.make_trace(1, 40, 1), file), "t.db"),
             "t.db", "workload reconstruct t.db -o w.csv"),
        case("--set", cli("compare") | {"s.arg": b"otn=[1,2]"}, "s.arg", "run sweep.yaml --set @s.arg"),
    ]  # fmt: skip


def customer_cases() -> list[Case]:
    broker, demand = cli("broker"), {"d.csv": b"spot_price,share\n1,0.5\n2,0.25\n"}
    prices = {
        "p.json": b'{"SpotPriceHistory": [{"Timestamp": "2024-01-01T00:00:00Z", "SpotPrice": "0.02", "InstanceType":'
        b' "m1.small", "ProductDescription": "Linux/UNIX", "AvailabilityZone": "a"}, {"Timestamp":'
        b' "2024-01-20T00:00:00Z", "SpotPrice": "0.03", "InstanceType": "m1.small", "ProductDescription":'
        b' "Linux/UNIX", "AvailabilityZone": "a"}]}',
        "events.csv": b"time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,for_instance_id\n"
        b"0,request,s,spot,1,1,0,,,\n0,placement,s,spot,1,1,0,h,,\n9000,eviction,s,spot,1,1,0,h,,v\n"
        b"9999,request,t,spot,1,1,0,,,\n9999,placement,t,spot,1,1,0,h,,\n86400,departure,t,spot,1,1,0,h,,\n",
        "map.csv": b"Submit;Elapsed;User\n2024-05-01T00:00:00;100;ann\n2024-05-01T01:00:00;200;bob\n",
        "map.yaml": b"study: broker\nmarket: [{type: m1.small, os: Linux/UNIX, datacenter: b, prices: b.csv}]\n"
        b"jobs: {csv: map.csv, separator: ';', map: {submission_s: Submit, duration_s: Elapsed, user: User}}\n"
        b"bid: on_demand\nfault_tolerance: none\nseed: 1\n",
    }  # fmt: skip
    run = "broker run broker.yaml --set bid=current --set fault_tolerance=migration --set seed=1"
    small = "--set deadline_hours=4 --set duration_hours=2 --set start_hours=0"
    return [
        case("jobs", broker, "jobs.csv", f"{run} --set 'jobs={{csv: jobs.csv}}' --events e.csv", "classes jobs.csv",
             "economy plan jobs.csv --training-days 0.1 --horizon-days 0.1 --forecaster mean"),
        case("SWF", broker | cli("classes"), "jobs.swf log.swf", run, "classes log.swf --classes 1,2",
             "workload import log.swf --format swf -o w.csv", "economy plan log.swf --forecaster mean"),
        case("mapped jobs", broker | prices, "map.csv map.yaml", "compare map.yaml -q -j1"),
        case("prices", broker | prices, "a.csv p.json", run, f"{run} --set 'market=[{{type: m1.small, os:"
             " Linux/UNIX, datacenter: a, prices: p.json}]'"),
        case("availability", broker | prices, "trace.csv trace.json events.csv",
             f"compare deadline.yaml -q -j1 --set trace=trace.csv {small}", "compare deadline.yaml -q -j1",
             f"compare deadline.yaml -q -j1 --set 'trace={{events: events.csv}}' {small}"),
        case("usage", cli("economy"), "usage.csv", "compare study.yaml -q -j1", "economy plan usage.csv"
             " --training-days 4 --horizon-days 4 --forecaster mean --json"),
        case("price lists", cli("price") | {"p.yaml": b"on-demand: 0.04\nspot: 0.01\ncurrency: EUR\n",
                                            "p.arg": b"on-demand=0.04,spot=0.012,currency=EUR"},
             "flavors.csv p.yaml p.arg", "workload info requests.csv --price flavors.csv",
             "workload info requests.csv --price p.yaml", "run sweep.yaml --price @p.arg"),
        case("demand", cli("life") | demand, "d.csv", f"plan requests.csv {HOSTS} --vm UTIL --spot sDPD --evictor FIFO"
             " --otn 1 --price on-demand=2,spot=1 --parts 3 --max-vm-loss 9 -q -j1 --demand d.csv"),
    ]  # fmt: skip


def import_cases() -> list[Case]:
    drawn = exports.draw_instances(1, 12, 3)

    def imported(name: str, files: Files, changed: str, options: str) -> Case:
        return case(f"import {name}", files, changed, f"workload import {options} -o w.csv",
                    f"workload import {options} --skip-bad-rows -o w.csv.gz")  # fmt: skip

    def folder_of_alibaba(file: Path) -> None:
        exports.write_alibaba2018(file.parent)

    google = made(lambda file: exports.write_google(file, drawn), "g.csv")
    lines = made(lambda file: exports.write_google(file, drawn, json_lines=True), "g.json.gz")
    google["g.jsonl"] = gzip.decompress(lines["g.json.gz"])
    alibaba = {
        name: made(folder_of_alibaba, name)[name] for name in ("container_meta.csv", "batch_task.csv")
    } | made(exports.write_alibaba2023, "a23.csv")
    nova = made(lambda file: exports.write_nova_dump(file, drawn), "n.csv") | {
        "usage.json": b'{"tenant_usages": [{"tenant_id": "t", "start": "2024-05-01T00:00:00", "stop":'
        b' "2024-05-09T00:00:00", "server_usages": [{"instance_id": "i", "vcpus": 1, "memory_mb": 512, "started_at":'
        b' "2024-05-01T00:00:00", "ended_at": null, "tenant_id": "t", "flavor": "m1"}, {"instance_id": "j", "vcpus": 2,'
        b' "memory_mb": 512, "started_at": "2024-05-02T00:00:00", "ended_at": "2024-05-03T00:00:00", "tenant_id": "t",'
        b' "flavor": "m1"}]}]}',
        "servers.json": b'[{"ID": "a", "Project ID": "t", "Flavor Name": "m1", "Created At": "2024-05-01T00:00:00Z"}]',
        "flavors.json": b'[{"ID": "1", "Name": "m1", "RAM": 512, "VCPUs": 1, "Disk": 1}]',
    }
    pods = made(lambda file: exports.write_kubernetes(file, drawn[:4], 2, taken=300000), "p.json")
    table = {
        "t.csv": b"id;who;cpu;mem;from;to;kind\na;x;1;2;2024-05-01 00:00;2024-05-02 00:00;spot\n"
        b"b;y;2;2;2024-05-01 10:00;2024-05-03 00:00;vm\n",
        "vcpus.arg": b"case kind when 'spot' then cpu * 2 else cpu end",
    }
    mapped = (
        "t.csv --separator ';' --time-unit iso --time-zone Europe/Berlin --map instance_id=id --map tenant_id=who"
        " --map 'vcpus=@vcpus.arg' --map memory_mb=mem --map start_s='\"from\"' --map end_s='\"to\"'"
        " --spot-if \"kind = 'spot'\""
    )
    return [
        imported("Google, CSV", google, "g.csv", "g.csv --format google2019"),
        imported("Google, JSON lines", google, "g.jsonl", "g.jsonl --format google2019"),
        imported("Alibaba tasks", alibaba, "batch_task.csv", "batch_task.csv --format alibaba2018"),
        imported("Alibaba containers", alibaba, "container_meta.csv", "container_meta.csv --format alibaba2018"),
        imported("Alibaba 2023", alibaba, "a23.csv", "a23.csv --format alibaba2023"),
        imported("Nova dump", nova, "n.csv", "n.csv --format openstack"),
        imported("Nova usage", nova, "usage.json", "usage.json --format openstack"),
        imported("Nova servers", nova, "servers.json flavors.json",
                 "servers.json --format openstack --flavors flavors.json"),
        imported("Kubernetes", pods, "p.json", "p.json --format kubernetes --hosts-out h.csv"),
        imported("table", table, "t.csv vcpus.arg", mapped),
    ]  # fmt: skip


#: Study files beyond the small ones, with what reads them.
MORE_STUDIES = {
    "life/scenario.yaml": "run", "notice/scenario.yaml": "run", "parts/scenario.yaml": "run",
    "offers/sweep.yaml": "compare", "host_types/sweep.yaml": "run", "levels/placed.yaml": "compare",
    "schedulers/groups.yaml": "compare", "degradation/apart.yaml": "compare", "sla/placed.yaml": "compare",
    "classes/scenario.yaml": "classes", "lpml/scenario.yaml": "run",
}  # fmt: skip


def study_cases(program: Path) -> list[Case]:
    """Every study: its file, and its results, which the program makes once."""
    studies = {path: "compare" for path in SMALL_STUDIES.values()} | MORE_STUDIES
    cases = []
    for path, command in studies.items():
        folder, file = path.split("/")
        files = cli(folder)
        if folder == "signals":  # needs no other file, and three runs would take long
            files[file] = files[file].replace(b"scale: 0.002", b"scale: 0.0002").replace(b"119", b"12")
        options = " -q -j1 --force --db r.db" if command == "compare" else ""
        cases.append(case(path, files, file, f"{command} {file}{options}"))
        if path not in SMALL_STUDIES.values():
            continue
        with tempfile.TemporaryDirectory() as name:
            write_files(Path(name), files)
            subprocess.run([program, "compare", file, "-q", "--db", "r.db"], cwd=name, check=True,
                           capture_output=True)  # fmt: skip
            results = {"r.db": (Path(name) / "r.db").read_bytes()}
        resume = f"compare {file} -q -j1 --resume --db r.db"
        cases.append(case(f"results of {path}", files | results, "r.db", *OF_RESULTS, resume))
    return cases


def write_files(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def all_cases(program: Path) -> list[Case]:
    """Every case, in an order that stays."""
    cases = [*workload_cases(), *customer_cases(), *import_cases(), *study_cases(program)]
    random.Random(0).shuffle(cases)  # so that a short run meets all kinds
    return cases
