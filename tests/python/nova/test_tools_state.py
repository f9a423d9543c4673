"""`cospot-nova` and the state database: its tables, the doctor, the set-up, what status shows."""

import os
import pwd
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.promise_message import Promise
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase
from cospot.nova.state.promise_records import SharedPromiseRecords
from cospot.nova.state.stalled import SharedStalledHosts
from cospot.nova.tools.doctor import file_checks, state_checks
from doctor_cases import GOOD_EVICTOR, bad, configure
from programs import printed_by
from state_servers import has_mariadb
from tool_cases import run


@pytest.fixture
def evictor(tmp_path):
    """Write the evictor's configuration; return its path."""

    def write(*lines, state=True):
        path = tmp_path / "cospot-evictor.conf"
        text = f"state_connection = sqlite:///{tmp_path}/state.db\n" if state else ""
        path.write_text(f"{GOOD_EVICTOR}[cospot_evictor]\n{text}" + "\n".join(lines) + "\n")
        path.chmod(0o600)  # it has passwords
        return path

    return write


def database(tmp_path):
    return StateDatabase(f"sqlite:///{tmp_path}/state.db", 2.0)


def findings(results, name):
    return [(one["verdict"], one["found"], one["fix"]) for one in results[name]["findings"]]


# -- db -----------------------------------------------------------------------------------------


def test_sync_makes_and_upgrades_the_tables(evictor, tmp_path, capsys, said, monkeypatch):
    path = evictor()
    out = said("db", "version", "--evictor-config-file", path, code=1)
    assert "tables none, this cospot 1" in out and "run cospot-nova db sync" in out
    assert "made the tables, version 1" in said("db", "sync", "--evictor-config-file", path)
    assert said("db", "version", "--evictor-config-file", path) == "tables 1, this cospot 1\n"
    assert "the tables are up to date" in said("db", "sync", "--evictor-config-file", path)
    step = schema.Upgrade(lambda connection: None, 2)
    monkeypatch.setattr(schema, "UPGRADES", [*schema.UPGRADES, step])
    assert run("db", "sync", "--evictor-config-file", path) == 0
    assert "upgraded the tables from version 1 to 2" in capsys.readouterr().out
    monkeypatch.undo()
    assert run("db", "sync", "--evictor-config-file", path) == 2
    assert "needs a newer cospot" in capsys.readouterr().out


def test_without_the_option_there_are_no_tables_to_make(evictor, capsys):
    assert run("db", "sync", "--evictor-config-file", evictor(state=False)) == 2
    assert "state_connection is not set" in capsys.readouterr().err


def test_a_password_is_not_printed(evictor, capsys):
    path = evictor("state_connection = mysql+pymysql://u:pa55word@127.0.0.1:1/d", state=False)
    assert run("db", "sync", "--evictor-config-file", path) == 2
    printed = capsys.readouterr()
    assert "state database mysql+pymysql://u:***@127.0.0.1:1/d" in printed.err
    assert "pa55word" not in printed.err + printed.out


# -- doctor: state database ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prepare", "text", "fix"),
    [
        (None, "no tables of cospot", "cospot-nova db sync"),
        ({"version": 0, "oldest_service": 0}, "no tables of cospot", "cospot-nova db sync"),
        ({"version": 2, "oldest_service": 2}, "needs a newer cospot", "upgrade cospot here"),
    ],
)
def test_the_doctor_says_that_tables_do_not_fit(diagnosed, evictor, tmp_path, prepare, text, fix):
    if prepare is not None:
        database(tmp_path).upgrade()
        changed = schema.SCHEMA.update().values(**prepare)
        database(tmp_path).run(lambda done: done.execute(changed))
    code, results = diagnosed("--evictor-config-file", evictor())
    assert (code, bad(results)) == (1, {"state database": "error"})
    ((_, found, said),) = findings(results, "state database")
    assert text in found and said == fix


def test_the_doctor_says_that_the_database_does_not_answer(diagnosed, evictor):
    path = evictor("state_connection = mysql+pymysql://u:pa55word@127.0.0.1:1/d", state=False)
    code, results = diagnosed("--evictor-config-file", path)
    assert (code, bad(results)) == (1, {"state database": "error"})
    ((_, found, _),) = findings(results, "state database")
    assert "127.0.0.1" in found and "pa55word" not in found


def test_the_doctor_is_content_with_a_state_database(diagnosed, evictor, tmp_path):
    database(tmp_path).upgrade()
    code, results = diagnosed("--evictor-config-file", evictor())
    assert (code, bad(results)) == (0, {})
    found = results["state database"]["findings"][0]["found"]
    assert "its clock is +0.0 s" in found.replace("-0.0", "+0.0")
    path = evictor("coordination_url = file:///tmp/x")
    code, results = diagnosed("--evictor-config-file", path)
    assert (code, bad(results)) == (0, {"state database": "warning"})
    assert "coordination_url is set and not used" in findings(results, "state database")[1][1]


@pytest.mark.parametrize(
    ("wait", "verdict"), [(None, "ok"), (0, "warning"), (1, "ok"), (6, "warning"), (7, "ok")]
)
def test_a_galera_that_may_be_behind(diagnosed, evictor, tmp_path, monkeypatch, wait, verdict):
    """Bit 1 of wsrep_sync_wait is that of reads, 2 and 4 are of changes."""
    database(tmp_path).upgrade()
    monkeypatch.setattr(state_checks, "galera_wait", lambda url: wait)
    monkeypatch.setattr(
        "cospot.nova.tools.history.database_source.cell_databases",
        lambda settings: ["mysql+pymysql://u:pa55word@db/nova", "sqlite:////cell0.db"],
    )
    _, results = diagnosed(
        *("--evictor-config-file", evictor()),
        changes={("database", "connection"): "mysql+pymysql://u:pa55word@db/nova"},
    )
    assert results["state database"]["verdict"] == verdict
    if verdict == "warning":
        (_, (_, found, fix)) = findings(results, "state database")
        assert found.startswith("db/nova: ") and f"wsrep_sync_wait = {wait}" in found
        assert "wsrep_sync_wait = 1" in fix


def test_the_doctor_cannot_see_a_database_that_does_not_answer(diagnosed, evictor, tmp_path):
    database(tmp_path).upgrade()
    changes = {("database", "connection"): "mysql+pymysql://u:pa55word@127.0.0.1:1/nova"}
    _, results = diagnosed("--evictor-config-file", evictor(), changes=changes)
    (_, (verdict, found, _)) = findings(results, "state database")
    assert verdict == "unknown" and "127.0.0.1" in found and "pa55word" not in found


@pytest.mark.skipif(not has_mariadb(), reason="needs mariadb-server")
def test_a_single_server_is_no_galera_cluster(mariadb_url):
    assert state_checks.galera_wait(mariadb_url) is None


def test_the_doctor_says_that_sqlalchemy_is_missing(diagnosed, evictor, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cospot.nova.state.database", None)
    _, results = diagnosed("--evictor-config-file", evictor())
    ((_, found, _),) = findings(results, "state database")
    assert "expected SQLAlchemy in this Python" in found


# -- doctor: metrics_directory, signals_port ----------------------------------------------------


@pytest.fixture
def other_user():
    """A folder that all may enter, and a user that is not this one; needs root."""
    if os.geteuid() != 0:
        pytest.skip("only root may look with another user's rights")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder), pwd.getpwnam("nobody")


def test_the_doctor_looks_at_the_folder_of_metrics(diagnosed, tmp_path):
    def look(folder):
        changes = {("cospot", "metrics_directory"): str(folder)}
        _, results = diagnosed(changes=changes)
        return findings(results, "scheduler metrics")

    (tmp_path / "file").write_text("")
    ((verdict, found, fix),) = look(tmp_path / "none")
    assert verdict == "warning" and "does not exist: there are no metrics" in found
    assert fix == f"install -d -o nova -g nova -m 755 {tmp_path}/none"
    ((verdict, found, _),) = look(tmp_path / "file")
    assert verdict == "warning" and "is no folder" in found


def test_the_rights_of_nova_s_user_count(diagnosed, other_user, monkeypatch):
    folder, account = other_user
    monkeypatch.setattr(file_checks, "_SCHEDULER_USER", "nobody")
    changes = {("cospot", "metrics_directory"): str(folder)}
    _, results = diagnosed(changes=changes)
    ((verdict, found, fix),) = findings(results, "scheduler metrics")
    assert verdict == "warning" and "nobody may not write there" in found
    assert fix.startswith(f"chown nobody {folder}")
    os.chown(folder, account.pw_uid, account.pw_gid)
    _, results = diagnosed(changes=changes)
    assert results["scheduler metrics"]["verdict"] == "ok"


def test_rights_of_another_user_are_for_root_to_see(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert file_checks.user_may("root", "-r", str(tmp_path)) is None
    group = SimpleNamespace(metrics_directory=str(tmp_path))
    monkeypatch.setattr(file_checks, "_SCHEDULER_USER", "root")
    (found,) = file_checks.metrics_check(SimpleNamespace(cospot=group))
    assert found.verdict.value == "unknown"


def certificate(folder: Path) -> tuple[Path, Path]:
    key, made = folder / "key.pem", folder / "certificate.pem"
    request = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    printed_by(*request, "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout", key, "-out", made)
    return key, made


def test_the_doctor_looks_at_the_files_of_the_signals_port(diagnosed, evictor, tmp_path):
    def look(*lines):
        path = evictor("signals_port = 9109", *lines, state=False)
        _, results = diagnosed("--evictor-config-file", path)
        return findings(results, "signals port")

    assert look()[0][0] == "ok"
    ((verdict, found, _),) = look("signals_address = 192.0.2.1")
    assert verdict == "warning" and "without TLS" in found
    key, made = certificate(tmp_path)
    files = (f"signals_certificate = {made}", f"signals_key = {key}")
    assert look(*files) == [("ok", "127.0.0.1:9109 with TLS", "")]
    ((verdict, found, _),) = look(files[0], f"signals_key = {tmp_path}/none.pem")
    assert verdict == "error" and "none.pem does not exist for cospot-evictor" in found
    ((verdict, found, _),) = look(files[0], f"signals_key = {made}")
    assert verdict == "error" and "cannot be used" in found
    ((verdict, found, _),) = look(f"signals_key = {key}")
    assert verdict == "error" and "signals_certificate: not set" in found


def test_a_key_that_the_evictor_cannot_read_is_named(diagnosed, evictor, other_user, monkeypatch):
    folder, account = other_user
    key, made = certificate(folder)
    key.chmod(0o600)
    monkeypatch.setattr(file_checks, "_EVICTOR_USER", "nobody")
    path = evictor(
        "signals_port = 9109", f"signals_certificate = {made}", f"signals_key = {key}", state=False
    )
    code, results = diagnosed("--evictor-config-file", path)
    assert code == 1
    ((_, found, fix),) = findings(results, "signals port")
    assert f"signals_key {key} cannot be read by nobody" in found
    assert fix == f"chgrp nobody {key}; chmod g+r {key}"
    os.chown(key, account.pw_uid, account.pw_gid)
    _, results = diagnosed("--evictor-config-file", path)
    assert results["signals port"]["verdict"] == "ok"


# -- setup, status ------------------------------------------------------------------------------


def set_up(cloud, config, capsys, evictor, *arguments):
    capsys.readouterr()
    run(
        *("setup", *arguments, "--config-file", configure(config)),
        *("--evictor-config-file", evictor, "--evictor-metrics", f"{cloud.url}/metrics"),
    )
    return [one for one in capsys.readouterr().out.splitlines() if "state database" in one]


def test_setup_makes_the_tables(cloud, config, capsys, evictor, tmp_path):
    path = evictor()
    (line,) = set_up(cloud, config, capsys, path, "--check")
    assert line.startswith("missing  state database:") and "no tables" in line
    assert set_up(cloud, config, capsys, path, "--apply") == [
        "done     state database: made the tables, version 1"
    ]
    assert set_up(cloud, config, capsys, path, "--check") == ["ok       state database"]
    assert set_up(cloud, config, capsys, evictor(state=False), "--check") == []
    gone = evictor("state_connection = mysql+pymysql://u:pw@127.0.0.1:1/d", state=False)
    (line,) = set_up(cloud, config, capsys, gone, "--apply")
    assert line.startswith("missing  state database: state database mysql+pymysql://u:***@")


def test_status_shows_what_any_machine_has_stored(cloud, capsys, said, evictor, tmp_path):
    state = database(tmp_path)
    state.upgrade()
    SharedStalledHosts(state).put("h1-provider", "h1", ["spot"])
    PromiseJournal(SharedPromiseRecords(state)).add(
        Promise("spot", time.time() - 7200, 3600.0, 0.05)
    )
    capsys.readouterr()
    folder = tmp_path / "of-this-machine"
    folder.mkdir()
    out = said("status", "--evictor-config-file", evictor(f"state_path = {folder}"))
    assert "ALARM: host h1 frees nothing" in out
    assert "with 95 %" in out


def test_status_goes_on_without_the_database(cloud, capsys, evictor, tmp_path):
    capsys.readouterr()
    path = evictor(f"state_path = {tmp_path}")
    assert run("status", "--evictor-config-file", path) == 0
    err = capsys.readouterr().err
    assert "no tables of cospot" in err
    assert "whether hosts free nothing is not known" in err
    assert "promises are left out" in err
