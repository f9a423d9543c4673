"""examples/papers/cooperation: the evaluation of the CoSpot paper, from results databases."""

import csv
import gzip
import os
import sys
from pathlib import Path

import cospot
import pytest

pytest.importorskip("pandas", minversion="1.5")
pytest.importorskip("matplotlib", minversion="3.6")

from cooperation.again import study_of
from cooperation.evaluation import load_evaluation
from cooperation.findings import all_findings
from cooperation.page import main
from cooperation.settings import best_without_vm_loss
from made_results import FOUR_RUNS, make_database
from programs import printed_by, run_program
from reproduction.document import BEGIN, END, replace_between_markers

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("COSPOT_PROGRAM", "")


@pytest.fixture
def grid(tmp_path):
    return make_database(tmp_path / "grid.db", FOUR_RUNS)


def _here(evaluation):
    return {(item.source, item.what): item.here for item in all_findings(evaluation)}


def test_numbers_of_finding_1_are_those_of_the_runs(grid):
    # Gains 0, 20, 50, 80 %: mean 37.5; VM loss 0, 0, 0.1, 0.2 %: mean 0.075. The first two reject
    # no VM: their gains are 0 and 20.
    here = _here(load_evaluation(grid))
    assert here["Finding 1", "gain, mean"] == "38 %"
    assert here["Finding 1", "gain, largest"] == "80 %"
    assert here["Finding 1", "VM revenue lost, mean"] == "0.0750 %"
    assert here["Finding 1", "VM revenue lost, largest"] == "0.20 %"
    assert here["Figure 4", "runs that reject no VM"] == "50 %"
    assert here["Finding 1", "gain of those, mean"] == "10 %"
    assert here["Finding 1", "gain of those, largest"] == "20 %"


def test_first_hour_is_lost_of_what_was_requested_and_earned(tmp_path):
    # 10 of 100 earned and 500 requested in one run, nothing in the other.
    runs = [
        {"otn": 1, "revenue": 100, "spot_revenue_first_hour_free_exact": "90"},
        {"otn": 2, "revenue": 100, "spot_revenue_first_hour_free_exact": "100"},
    ]
    evaluation = load_evaluation(make_database(tmp_path / "r.db", runs))
    here = _here(evaluation)
    what = "spot revenue lost to a free first hour, of what was requested: mean, largest"
    assert here["Finding 8", what] == "1.000 %, 2.00 %"
    (found,) = (one for one in all_findings(evaluation) if one.source == "Finding 8")
    assert found.readings == {"of what was earned": [0.05, 0.1]}


def test_best_setting_loses_no_vm_on_any_workload(tmp_path):
    # OTN 4 gains most but rejects a VM on the second workload; OTN 2 gains 20 % and 40 %.
    runs = [
        {"workload": day, "otn": otn, "revenue": revenue, "vm_rejected": rejected}
        for day, otn, revenue, rejected in (
            ("a", 1, 100, 0), ("a", 2, 120, 0), ("a", 4, 200, 0),
            ("b", 1, 100, 0), ("b", 2, 140, 0), ("b", 4, 200, 1),
        )
    ]  # fmt: skip
    database = make_database(tmp_path / "r.db", runs, workloads=("a", "b"))
    (best,) = best_without_vm_loss(load_evaluation(database).runs).to_dict("records")
    assert (best["otn"], best["saf"]) == (2, False)
    assert best["gain"] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("begins", "points", "relative", "verdict"),
    [
        # 100 of 500 are 20 points. Twice as much of a baseline of 50 is 10 points, of 100 20.
        ((50, 100), "0 %: 10.0, 1 %: 20.0", "0 %: 100 %, 1 %: 100 %", "holds"),
        ((100, 50), "0 %: 20.0, 1 %: 10.0", "0 %: 100 %, 1 %: 100 %", "differs"),
    ],
)
def test_gain_by_headroom_is_in_points_of_what_was_requested(
    tmp_path, begins, points, relative, verdict
):
    runs = [
        {"headroom_percent": percent, "otn": otn, "revenue": begin * otn}
        for percent, begin in enumerate(begins)
        for otn in (1, 2)
    ]
    sizes = [{"headroom_percent": percent} for percent in range(len(begins))]
    evaluation = load_evaluation(make_database(tmp_path / "r.db", runs, sizes=sizes))
    of_gain, beside = [
        item for item in all_findings(evaluation)
        if item.source == "Finding 5" and item.what.startswith(("gain in points", "gain relative"))
    ]  # fmt: skip
    assert (of_gain.here, of_gain.verdict.partition(":")[0]) == (points, verdict)
    assert (beside.here, beside.verdict) == (relative, None)


def test_no_verdict_where_the_paper_says_nothing(tmp_path):
    runs = [{"headroom_percent": p, "otn": n, "revenue": 100 + n} for p in (0, 1) for n in (1, 2)]
    sizes = [{"headroom_percent": percent} for percent in (0, 1)]
    evaluation = load_evaluation(make_database(tmp_path / "r.db", runs, sizes=sizes))
    findings = all_findings(evaluation)
    assert any(item.source == "Finding 5" and not item.paper for item in findings)
    assert all(item.paper for item in findings if item.verdict)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        ({"otn": "epsilon-0.2"}, "the offer epsilon-0.2, which is not part of the paper's grid"),
        (
            {"otn": "adaptive:at_low_load=32:at_high_load=1:from=0.9:to=0.97"},
            "the offer adaptive:at_low_load=32:at_high_load=1:from=0.9:to=0.97, which",
        ),
        ({"otn": 2, "headroom_percent": None}, "a number of hosts, which are not part of the"),
    ],
)
def test_runs_that_the_grid_of_the_paper_has_not_are_refused(tmp_path, capsys, run, told):
    sizes = ({"headroom_percent": 0}, {"hosts": 10})
    runs = [*FOUR_RUNS, {**run, "revenue": 120}]
    grid = make_database(tmp_path / "r.db", runs, sizes=sizes)
    assert main([str(grid), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"cospot: {grid}: has runs with {told}")
    assert error.count("\n") == 1


def test_sampling_is_told_by_the_label(tmp_path):
    labels = ("batched/0.csv", "Bernoulli/0.csv", "mine.csv")
    runs = [{"workload": label, "revenue": 100} for label in labels]
    evaluation = load_evaluation(make_database(tmp_path / "r.db", runs, workloads=labels))
    assert list(evaluation.runs["sampling"]) == ["batched", "Bernoulli", "other"]
    assert list(evaluation.burstier["workload"]) == ["batched/0.csv"]


def test_types_without_vcpus_are_counted_in_the_released_sizes(grid, tmp_path):
    # Types 0 to 2 have memory, and 0 no vcpus; machine type 7 is none of them.
    sizes = tmp_path / "sizes.json"
    sizes.write_text(
        '[{"vm_cores[1]": 4, "vm_cores[2]": 8, "server_ram[7]": 9},'
        ' {"vm_ram[0]": 1, "vm_ram[1]": 2, "vm_ram[2]": 4}]'
    )
    here = _here(load_evaluation(grid, sizes=sizes))
    assert here["section 4.2", "VM types left out as inconsistent"] == "1 of 3"


def test_output_repeats_and_needs_nothing_beside_it(grid, tmp_path):
    outputs = []
    for name in ("one", "two"):
        assert main([str(grid), "-o", str(tmp_path / name)]) == 0
        files = sorted((tmp_path / name).iterdir())
        outputs.append({path.name: path.read_bytes() for path in files})
    assert outputs[0] == outputs[1]
    # The runs have neither COS nor a worse ranking: Figures 4 and 8 are left.
    assert {name for name in outputs[0] if name.endswith(".svg")} == {
        f"figure-{number}.svg" for number in (4, 8)
    }
    page = outputs[0]["evaluation.html"].decode()
    assert page.count("data:image/svg+xml;base64,") == 2
    assert "http://" not in page and "https://" not in page and "<script" not in page


def test_table_goes_between_the_markers(grid, tmp_path):
    document = tmp_path / "d.md"
    document.write_text(f"mine\n{BEGIN}\nwas here\n{END}\nalso mine\n")
    arguments = [str(grid), "-o", str(tmp_path / "out"), "--document", str(document)]
    assert main(arguments) == 0
    once = document.read_text()
    assert once.startswith(f"mine\n{BEGIN}\n\n| by |")
    assert once.endswith(f"|\n\n{END}\nalso mine\n")
    assert "was here" not in once
    assert main(arguments) == 0
    assert document.read_text() == once


@pytest.mark.parametrize(
    "text", ["", f"{BEGIN}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}{BEGIN}{END}{END}"]
)
def test_document_without_its_markers_is_left_as_it_is(tmp_path, text):
    document = tmp_path / "d.md"
    document.write_text(text)
    with pytest.raises(cospot.errors.ConfigError, match="expected one line"):
        replace_between_markers(document, "new")
    assert document.read_text() == text


def test_document_is_looked_at_before_anything_is_written(grid, tmp_path, capsys):
    document = tmp_path / "d.md"
    document.write_text("no markers")
    output = tmp_path / "out"
    assert main([str(grid), "-o", str(output), "--document", str(document)]) == 2
    assert capsys.readouterr().err.startswith(f"cospot: {document}: expected one line")
    assert not output.exists()


def test_bad_input_is_one_line_and_exit_code_2(grid, tmp_path, capsys):
    empty = tmp_path / "empty.csv"
    empty.write_text("workload,vm\n")
    for arguments in (
        [str(tmp_path / "none.db"), "-o", str(tmp_path)],
        [str(grid), "-o", str(tmp_path), "--degradation", str(empty)],
        [str(grid), "-o", str(grid)],
    ):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("cospot: ")
        assert error.count("\n") == 1


def test_a_run_again_is_a_study_of_one_run(tmp_path):
    model = {"name": "LPML", "model": "lpml.txt"}
    spec = {"synthetic": "azure2020", "seed": 1, "scale": 0.001}
    sweep = {
        "workloads": ["a.csv", spec], "host": 8, "headroom_percent": [0, 1], "vm": ["UTIL"],
        "spot": ["sDPD"], "evictor": ["FIFO", model], "saf": [False, True], "otn": [1, 2],
    }  # fmt: skip
    run = {"workload": "azure2020 seed=1 scale=0.001", "headroom_percent": 1.0, "vm": "UTIL",
           "spot": "sDPD", "evictor": "LPML", "saf": True, "otn": 2}  # fmt: skip
    one = {"workloads": [spec], "headroom_percent": 1, "evictor": [model], "saf": True, "otn": 2}
    assert study_of(run, sweep) == {**sweep, **one}


needs_program = pytest.mark.skipif(
    not os.access(PROGRAM, os.X_OK), reason="COSPOT_PROGRAM does not name the program"
)


def _run(folder, *arguments, **environment):
    """Run the command of the examples in a folder."""
    environment = {"COSPOT": PROGRAM, "COSPOT_PYTHON": sys.executable, **environment}
    script = ROOT / "examples/papers/cooperation/run.sh"
    return run_program(script, *arguments, cwd=folder, env=os.environ | environment)


def _generate(sampling, file):
    recipe = f"workload generate azure2020 --seed 3 --scale 0.0001 --sampling {sampling} -o"
    printed_by(PROGRAM, *recipe.split(), file)


@pytest.mark.slow
@needs_program
def test_one_command_makes_it_all(tmp_path):
    names = ["batched.csv.gz", "bernoulli.csv.gz"]
    for name in names:
        _generate(name.split(".")[0], tmp_path / name)
    outputs = []
    for threads in ("1", "2"):
        options = ["-o", f"out{threads}", "--timing", "off", "-j", threads]
        done = _run(tmp_path, *options, *names)
        assert done.returncode == 0, done.stderr
        files = [path for path in (tmp_path / f"out{threads}").iterdir() if path.is_file()]
        outputs.append({path.name: path.read_bytes() for path in files if path.suffix != ".db"})
    assert outputs[0] == outputs[1]
    assert {f"figure-{number}.png" for number in (2, 4, 5, 6, 7, 8)} <= set(outputs[0])
    assert outputs[0]["grid.csv"].count(b"\n") == 1 + 2 * 3240
    found = outputs[0]["findings.json"].decode()
    assert '"published": "20", "ours": "2"' in found
    table = outputs[0]["findings.md"].decode().partition("### What the open choices are worth")[2]
    assert table.count("\n|") == 2 + 9  # with those of `cooperation.choices`
    assert "not run" not in found


@pytest.mark.slow
@needs_program
def test_recipes_are_workloads_and_a_trained_model_is_named_without_its_folder(tmp_path):
    pytest.importorskip("sklearn")
    recipe = "azure2020:seed=3:scale=0.0001:sampling=bernoulli"
    done = _run(tmp_path, "--train", "--timing", "off", "-o", tmp_path / "out", recipe)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/grid.html").read_bytes()
    assert b"model: lpml.txt" in page
    assert b"azure2020 seed=3 scale=0.0001 sampling=bernoulli" in page
    # Else the page would differ between output folders.
    assert str(tmp_path).encode() not in page


def _fetched(folder):
    """Make a small folder like those that `cospot workload fetch cospot` leaves behind."""
    folder.mkdir(parents=True)
    (folder / "vmType.csv").write_text("vmTypeId,machineId,core,memory\n")
    (folder / "server_vm_cores_ram.json").write_text("[]\n")
    for sampling in ("batched", "bernoulli"):
        (folder / sampling).mkdir()
        file = folder / sampling / "relevant-vm-1pcnt_0.csv"
        _generate(sampling, file)
        file.with_name(file.name + ".sha256").write_text(f"{'0' * 64}  {file.name}\n")


def _workloads(folder):
    with open(folder / "grid.csv", newline="") as file:
        return list(dict.fromkeys(row["workload"] for row in csv.DictReader(file)))


@pytest.mark.slow
@needs_program
def test_a_fetched_folder_is_its_samples_plain_or_packed(tmp_path):
    _fetched(tmp_path / "data/azure2020-cospot")
    samples = [f"{sampling}/relevant-vm-1pcnt_0.csv" for sampling in ("batched", "bernoulli")]
    # Packed and plain it is one sample still, and the packed one is read.
    folder = tmp_path / "data/azure2020-cospot"
    packed = folder / (samples[0] + ".gz")
    packed.write_bytes(gzip.compress((folder / samples[0]).read_bytes(), mtime=0))
    (folder / samples[0]).write_text("broken\n")
    expected = [samples[0] + ".gz", samples[1]]
    options = ["--timing", "off", "-j", "2", "-o"]

    done = _run(tmp_path, *options, "named", "data/azure2020-cospot/", COSPOT_DATA="")
    assert done.returncode == 0, done.stderr
    assert _workloads(tmp_path / "named") == [f"data/azure2020-cospot/{name}" for name in expected]

    done = _run(tmp_path, *options, "found", COSPOT_DATA="data")
    assert done.returncode == 0, done.stderr
    labels = [f"${{COSPOT_DATA}}/azure2020-cospot/{name}" for name in expected]
    assert _workloads(tmp_path / "found") == labels
    findings = (tmp_path / "found/findings.json").read_text()
    assert '"published": "20", "ours": "2"' in findings
    assert findings == (tmp_path / "named/findings.json").read_text()


@needs_program
def test_a_folder_without_samples_is_refused_and_so_is_data_without_the_folder(tmp_path):
    (tmp_path / "empty/batched").mkdir(parents=True)
    (tmp_path / "empty/vmType.csv").write_text("vmTypeId\n")
    for arguments, data, told in (
        (["empty"], "", "cospot: empty: no workload files (.csv, .csv.gz)"),
        ([], "empty", "empty/azure2020-cospot: no such folder; cospot workload fetch cospot"),
        ([], "none", "cospot: COSPOT_DATA=none: no such folder"),
    ):
        done = _run(tmp_path, *arguments, COSPOT_DATA=data)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert told in done.stderr


@needs_program
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--what"], "unknown option"),
        (["none.csv"], "no such file"),
        (["azure2020:seed"], "nor a workload spec"),
        (["-o"], "needs a value"),
        (["--timing", "maybe"], "expected on or off"),
        (["-o", "file/out"], "file/out: no such folder, and it cannot be made"),
        (["-o", "file"], "file: no such folder, and it cannot be made"),
        (["--document", "none.md"], "none.md: "),
        (["--document", "file"], "file: expected one line"),
    ],
)
def test_command_refuses_what_it_cannot_use(tmp_path, arguments, told):
    (tmp_path / "file").write_text("no markers")
    done = _run(tmp_path, *arguments, COSPOT_DATA="")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("cospot: ") and done.stderr.count("\n") == 1
    assert told in done.stderr
