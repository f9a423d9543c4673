"""What cospot writes it reads again, and so do other readers, whatever users call their files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import yaml
from programs import printed_by

#: Names of files and labels of several kinds: separators of CSV, YAML and shells, line ends,
#: wildcards and variables, a model's name, what looks like an option, a comment or another type.
NAMES = [
    "a,b", "it's \"it\"", "new\nline", "cr\rlf", "# c: d - [e] {f}", "${HOME}", "*?[x]",
    "azure2020", "azure2020:seed=1", "-dash", " blanks ", "tab\tand\x1b[31m", "\u2028ü\x85", "%2C",
    "a%2Cb", "true", "1e3", "<b>&amp;</script>", "back\\slash", "{{title}}",
]  # fmt: skip
REQUESTS = (
    "# window_days: 8\ninstance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
    + "".join(
        f"i{n},t,{'spot' if n % 2 else 'vm'},{1 + n % 3},1,{n * 7000 - 90000},{n * 7000 + 50000}\n"
        for n in range(100)
    )
)
MODEL = Path(__file__).parents[1] / "cli" / "lpkm" / "models" / "curves.txt"
HOSTS = "name,vcpus,memory_mb\n" + "".join(f"h{n},8,8\n" for n in range(4))
POLICIES = ["--vm=UTIL", "--spot=sUTIL", "--evictor=FIFO,LPKM", "--otn=1,2", "-q", "-j1"]


class Folder:
    """A folder with inputs, in which cospot runs."""

    def __init__(self, program: Path, path: Path) -> None:
        self.program, self.path = program, path

    def write(self, name: str, text: str) -> str:
        name = name.replace("</", "<")  # which no file may have
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return f"./{name}"

    def cospot(self, *arguments: str) -> str:
        return printed_by(self.program, *arguments, cwd=self.path)


@pytest.fixture
def folder(program: Path, tmp_path: Path) -> Folder:
    return Folder(program, tmp_path)


def price_file(currency: str) -> str:
    # YAML reads JSON, but for the control characters that JSON leaves as they are.
    return json.dumps({"on-demand": 4, "spot": 1, "currency": currency})


def compared(folder: Folder, study: str) -> list[dict[str, str]]:
    """Compare a study file; check what others would read of it and of its results."""
    text = (folder.path / study).read_text()
    assert isinstance(yaml.safe_load(text), dict), text
    folder.cospot("compare", study, "-q", "-j1", "--force", "--db", "r.db", "--csv", "r.csv")
    with (folder.path / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    summary = json.loads(folder.cospot("summary", "r.db", "--json"))
    assert summary["runs"] == len(rows)
    assert all(None not in row and None not in row.values() for row in rows)
    folder.cospot("report", "r.db", "-o", "r.html")
    page = (folder.path / "r.html").read_text()
    assert page.count("</script>") == len(page.split("<script")) - 1
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_tune_writes_a_study_that_compare_reads(folder: Folder, name: str) -> None:
    paths = [folder.write(f"{name}/{name}{n}.csv", REQUESTS + f"x{n},t,vm,1,1,0,1\n") for n in "12"]
    hosts = folder.write(f"{name}/{name}.csv", HOSTS)
    with_file = folder.write(f"{name}.yaml", "disruptions: {failures: fails.csv}\n")
    folder.write("fails.csv", "host,start_s,end_s\nh0,1000,2000\n")
    prices = folder.write(f"{name} prices.yaml", price_file(name))
    model = folder.write(f"{name}/{name}.txt", MODEL.read_text())
    (folder.path / "out").mkdir()
    shown = folder.cospot(
        "tune", *paths, "--host", hosts, "--hosts", "4", *POLICIES, "--csv", "tuned.csv",
        "--model", model, "--with", with_file, "--max-vm-loss", "50", "-o", "out/around.yaml",
        "--price", prices,
    )  # fmt: skip
    assert "cospot compare out/around.yaml" in shown
    assert {row["workload"] for row in compared(folder, "out/around.yaml")} != set()
    with (folder.path / "tuned.csv").open(newline="") as file:
        assert {row["workload"] for row in csv.DictReader(file)} == set(paths)


@pytest.mark.parametrize("name", NAMES)
def test_plan_writes_a_study_that_compare_reads(folder: Folder, name: str) -> None:
    history = folder.write(f"{name}/{name}.csv", REQUESTS)
    (folder.path / "out").mkdir()
    folder.cospot(
        "plan", history, "--host", "8,8", "--hosts", "4", *POLICIES, "--parts", "4",
        "--max-vm-loss", "50", "-o", "out/plan.yaml", "--report", "out/plan.html",
        "--price", folder.write(f"{name} prices.yaml", price_file(name)),
    )  # fmt: skip
    assert len(compared(folder, "out/plan.yaml")) == 1
    page = (folder.path / "out/plan.html").read_text()
    assert page.count("</script>") == len(page.split("<script")) - 1
