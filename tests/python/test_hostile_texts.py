"""What comes from outside neither acts on the terminal nor floods it: keys, values, results."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import cospot
import pytest
from cospot.errors import CospotError, InputError
from cospot.printable import printable, without_middle
from programs import printed_by, run_program
from small_studies import ONE_RUN as STUDY

# A colour, a title, the cursor, 8-bit CSI as UTF-8 and as a byte, and text that runs backwards.
HOSTILE = "a\x1b[31m\x1b]0;x\x07\x1b[2J\u009b31m\u202eb"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LONG = "x" * 900_000
QUOTED = json.dumps(HOSTILE)  # YAML reads it too
IMPORT = "workload import in.json -o w.csv --spot-if 0 --format"
SERVERS = {"id": HOSTILE, "name": HOSTILE, "created": HOSTILE, "flavor": {HOSTILE: 1}}
POD = {
    "kind": "Pod",
    "metadata": {"name": HOSTILE, "namespace": HOSTILE, "uid": HOSTILE + "\n" + LONG[:9000]},
    "spec": {"containers": [{"resources": {"requests": {"cpu": HOSTILE + "\n" + LONG[:9000]}}}]},
}
CASES = {
    "key": ("compare k.yaml", {"k.yaml": f"{QUOTED}: 1\n"}),
    "long key": ("compare k.yaml", {"k.yaml": f"{LONG}: 1\n"}),
    "long value": ("compare k.yaml", {"k.yaml": f"vm: {LONG}\n"}),
    "value": ("compare k.yaml", {"k.yaml": STUDY.replace("COS", QUOTED)}),
    "duplicate": ("compare k.yaml", {"k.yaml": f"{QUOTED}: 1\n{QUOTED}: 2\n"}),
    "several values": ("compare k.yaml", {"k.yaml": f"otn: a,{LONG}\n"}),
    "nested key": ("compare k.yaml", {"k.yaml": f"host: {{{QUOTED}: 1}}\n"}),
    "dataset": ("workload fetch " + HOSTILE.replace(" ", ""), {}),
    "command": (HOSTILE, {}),
    "option": ("compare --" + HOSTILE, {}),
    "file": ("workload info " + HOSTILE, {}),
    "database": ("summary " + HOSTILE, {}),
    "output": (f"workload generate azure2020 --scale 0.001 -o {HOSTILE}/w.csv", {}),
    "written": (f"workload generate azure2020 --scale 0.001 -o {HOSTILE}.csv", {}),
    "set": (f"compare k.yaml --set {HOSTILE}=1", {"k.yaml": STUDY}),
    "column": ("workload info w.csv", {"w.csv": f"{HOSTILE},b\n1,2\n"}),
    "cell": ("workload info w.csv", {"w.csv": f"vmId,cores\n{HOSTILE},2\n"}),
    "servers": (f"{IMPORT} openstack", {"in.json": json.dumps([SERVERS])}),
    "pods": (f"{IMPORT} kubernetes", {"in.json": json.dumps({"items": [POD] * 99})}),
    "json key": (f"{IMPORT} openstack", {"in.json": f'{{"{LONG}": 1}}'}),
    "no json": (f"{IMPORT} openstack", {"in.json": f'["{LONG}'}),
    "rows": (f"{IMPORT} swf", {"in.json": f"; {HOSTILE}\n" + f"1 2 {HOSTILE} 4\n" * 99}),
    "prices": ("run k.yaml --price p.csv", {"k.yaml": STUDY, "p.csv": f"{HOSTILE}\n1\n"}),
}


def run(program: Path, folder: Path, *words: str | bytes | Path) -> tuple[int, str]:
    done = run_program(program, *map(os.fsdecode, words), cwd=folder, text=None)
    text = (done.stdout + done.stderr).decode()  # every byte is UTF-8
    assert not ACTS.search(text), ACTS.search(text)
    assert len(text) < 8000, len(text)
    assert "internal error" not in text
    return done.returncode, text


@pytest.mark.parametrize("name", CASES)
def test_what_a_user_gives(program: Path, tmp_path: Path, name: str) -> None:
    words, files = CASES[name]
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    code, text = run(program, tmp_path, *words.split(" "))
    assert code == (0 if name == "written" else 2), text


def test_bytes_that_are_no_text(program: Path, tmp_path: Path) -> None:
    code, text = run(program, tmp_path, "workload", "info", b"\x9b31m\xff.csv")
    assert (code, r"\x9b31m\xff.csv" in text) == (2, True)


def test_results_of_others(program: Path, tmp_path: Path) -> None:
    """Each text of a database in turn: what is refused, and what is shown."""
    (tmp_path / "s.yaml").write_text(STUDY)
    assert run(program, tmp_path, "compare", "s.yaml", "-q", "--db", "r.db")[0] == 0
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection:
        tables = [
            (table, column)
            for table in ("sweep", "input", "column", "axis_value", "run")
            for (_, column, kind, *_) in connection.execute(f'PRAGMA table_info("{table}")')
            if kind in ("TEXT", "")
        ]
    assert len(tables) > 20
    content = (tmp_path / "r.db").read_bytes()
    for table, column in tables:
        (tmp_path / "h.db").write_bytes(content)
        with closing(sqlite3.connect(tmp_path / "h.db")) as connection:
            update = f'UPDATE "{table}" SET "{column}" = "{column}" || ?'
            connection.execute(update, (HOSTILE + "\n" + LONG,))
            connection.commit()
        for words in ("summary h.db", "summary h.db --json", "merge m.db h.db"):
            done = run_program(program, *words.split(), cwd=tmp_path)
            assert done.returncode in (0, 2), (table, column, done.stderr)
            assert not ACTS.search(done.stdout + done.stderr), (table, column)
            assert len(done.stderr) < 8000, (table, column)
            if "--json" in words and done.returncode == 0:
                json.loads(done.stdout)
        (tmp_path / "m.db").unlink(missing_ok=True)


def test_json_of_the_program_means_the_same(program: Path, tmp_path: Path) -> None:
    name = "w\u202e\x7f.csv"  # json.dumps would write these as they are, and so do we not
    (tmp_path / name).write_text(
        "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\na,t,1,1,0,0,1\n"
    )
    printed = printed_by(program, "workload", "info", name, "--json", cwd=tmp_path)
    assert not ACTS.search(printed)
    assert name in json.dumps(json.loads(printed), ensure_ascii=False)


def test_errors_in_python() -> None:
    with pytest.raises(InputError) as raised:
        cospot.Chain([HOSTILE + LONG])
    assert not ACTS.search(str(raised.value)) and len(str(raised.value)) < 9000
    for text in (HOSTILE, HOSTILE + LONG):
        error = str(CospotError(text))
        assert not ACTS.search(error) and len(error) < 9000


def test_python_escapes_as_the_program_does(program: Path, tmp_path: Path) -> None:
    name = "n" + "".join(map(chr, [*range(1, 47), *range(48, 0x250), *range(0x2000, 0x2100)]))[:80]
    for part in (name, "\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\u2065\u206a"):
        _, text = run(program, tmp_path, "workload", "info", part)
        assert printable(part).replace("\n", "\\n") in text


def test_a_long_text_keeps_its_ends() -> None:
    shown = without_middle("k.yaml: " + LONG + "; expected y")
    # 900,020 characters, of which 3,900 stay on either side.
    assert "x ... (892220 characters left out) ... x" in shown
    assert shown.startswith("k.yaml: xxx") and shown.endswith("x; expected y")
