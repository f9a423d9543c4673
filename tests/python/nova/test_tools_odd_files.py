"""Files, services and names that are not what the commands expect: one line each, no escape."""

import os
import re

import pytest
from cospot.nova.moment import moment_of
from programs import run_python
from tool_cases import cloud_for, run

LATIN_1 = "[DEFAULT]\n# café\n".encode("latin-1")
COMMANDS = [
    ("doctor", "--offline"), ("doctor",), ("status",), ("flavor", "create-spot", "m1"),
    ("flavor", "check"), ("inventory",), ("history", "export"),
]  # fmt: skip


@pytest.fixture
def no_cloud(monkeypatch):
    """Nothing in the environment, so that commands read their configuration files."""
    for name in list(os.environ):
        if name.startswith("OS_"):
            monkeypatch.delenv(name)


@pytest.fixture
def latin_1(tmp_path):
    path = tmp_path / "latin-1.conf"
    path.write_bytes(LATIN_1)
    return path


def process(*arguments, **environment):
    """Run `cospot-nova` as people do: pytest itself takes what is logged off standard error."""
    command = ("-m", "cospot.nova.tools.command", *arguments)
    return run_python(*command, env={**os.environ, **environment})


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_nova_conf_that_is_no_utf_8_is_one_error(no_cloud, latin_1, capsys, arguments):
    good = latin_1.with_name("good.conf")
    good.write_text("[DEFAULT]\n# café\n", encoding="utf-8")
    assert run(*arguments, "--config-file", good, "--config-file", latin_1) == 2
    line = "line 2: expected text in UTF-8, found the byte 0xe9"
    assert capsys.readouterr().err == f"cospot-nova: error: {latin_1}: {line}\n"


def test_a_folder_s_file_that_is_no_utf_8_is_one_error(no_cloud, latin_1, capsys):
    assert run("status", "--config-dir", latin_1.parent) == 2
    assert capsys.readouterr().err.startswith(f"cospot-nova: error: {latin_1}: line 2: ")


def test_a_file_that_is_found_where_nova_looks_is_named(no_cloud, latin_1, said, monkeypatch):
    monkeypatch.setenv("HOME", str(latin_1.parent))
    folder = latin_1.parent / ".nova"
    folder.mkdir()
    found = latin_1.rename(folder / "nova.conf")
    assert said("status", code=2).startswith(f"cospot-nova: error: {found}: line 2: ")


def test_an_evictor_s_file_that_is_no_utf_8_is_one_error(monkeypatch, latin_1, capsys):
    with cloud_for(monkeypatch):
        assert run("status", "--evictor-config-file", latin_1) == 2
    assert capsys.readouterr().err.startswith(f"cospot-nova: error: {latin_1}: line 2: ")


@pytest.mark.parametrize("option", [["--config-file"], ["--config-dir"]])
def test_the_evictor_does_not_start_with_a_file_that_is_no_utf_8(latin_1, capsys, option):
    command = pytest.importorskip("cospot.nova.evictor.command")
    path = latin_1.parent if option == ["--config-dir"] else latin_1
    assert command.main([*option, str(path)]) == 2
    line = "line 2: expected text in UTF-8, found the byte 0xe9"
    assert capsys.readouterr().err == f"cospot-evictor: {latin_1}: {line}\n"


def test_the_evictor_does_not_start_without_its_logging_configuration(tmp_path, capsys):
    command = pytest.importorskip("cospot.nova.evictor.command")
    path = tmp_path / "none.ini"
    assert command.main(["--log-config-append", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("cospot-evictor: ") and str(path) in error and error.count("\n") == 1


@pytest.mark.parametrize("host", ["$nothing", "${nothing.at_all}"])
def test_an_option_that_cannot_be_read_is_one_error(monkeypatch, tmp_path, said, host):
    config = tmp_path / "nova.conf"
    config.write_text(f"[DEFAULT]\nhost = {host}\n")
    with cloud_for(monkeypatch):
        error = said("inventory", "--config-file", config, code=2)
    assert error.startswith("cospot-nova: error: ") and error.count("\n") == 1


def test_a_section_s_option_of_the_wrong_type_is_one_error(no_cloud, tmp_path, said):
    config = tmp_path / "nova.conf"
    config.write_text("[nova]\nauth_type = password\nauth_url = http://127.0.0.1:1\ntimeout = x\n")
    error = said("status", "--config-file", config, code=2)
    assert error.startswith("cospot-nova: error: credentials of [nova]: ")
    assert "timeout" in error and error.count("\n") == 1


def test_a_keystone_that_is_not_there_is_one_line(monkeypatch):
    """keystoneauth logs a line of its own, which Python prints where nobody takes it."""
    with cloud_for(monkeypatch):
        ended = process("status", OS_AUTH_URL="http://127.0.0.1:9/v3")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("cospot-nova: error: compute: GET /os-aggregates: ")
    assert "Unable to establish connection" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "data",
    [b"clouds: {mine: [", b"clouds:\n  mine: caf\xe9\n", b"- mine\n", b"clouds: mine\n"],
    ids=["unfinished", "latin-1", "list", "text"],
)
def test_a_clouds_yaml_of_something_else_is_one_line(tmp_path, no_cloud, data):
    path = tmp_path / "clouds.yaml"
    path.write_bytes(data)
    # In this process the SDK would look at the file in all later tests, too.
    ended = process("status", "--os-cloud", "mine", OS_CLIENT_CONFIG_FILE=str(path))
    assert ended.returncode == 2
    assert ended.stderr.startswith("cospot-nova: error: credentials of cloud mine: ")
    assert ended.stderr.count("\n") == 1


def test_names_that_the_terminal_cannot_show_are_escaped(monkeypatch):
    with cloud_for(monkeypatch) as cloud:
        cloud.add_flavor("café", 2, 4096, 20)
        ended = process("flavor", "create-spot", "café", PYTHONIOENCODING="ascii")
        assert cloud.flavor("spot.café")["vcpus"] == 2
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("spot.caf\\xe9 (2): made, ")


# -- names of a cloud are any text: none of them acts on the operator's terminal -----------------

HOSTILE = "a\x1b[31m\x1b]0;x\x07\u009b31m\u202eb"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SIZE = {"VCPU": {"total": 8}, "MEMORY_MB": {"total": 512}, "DISK_GB": {"total": 9}}


@pytest.fixture
def cloud(monkeypatch):
    with cloud_for(monkeypatch) as stand_in:
        stand_in.add_host(HOSTILE, inventories=SIZE)
        stand_in.add_flavor(HOSTILE, 2, 4096, 20)
        stand_in.add_flavor(f"spot.{HOSTILE}", 2, 9, 2, extra_specs={"cospot:spot": HOSTILE})
        stand_in.aggregates = [{"name": HOSTILE, "hosts": [HOSTILE]}]
        yield stand_in


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",), ("status", "--format", "json"), ("doctor",), ("doctor", "--verbose"),
        ("flavor", "check"), ("flavor", "create-spot", HOSTILE),
        ("flavor", "create-spot", HOSTILE + "z"), ("inventory", "--host", HOSTILE),
        ("inventory", "--host", HOSTILE + "z"), ("inventory", "--vcpus", HOSTILE),
        ("history", "export", "-o", f"/nowhere/{HOSTILE}"), ("bill", "--month", HOSTILE),
        (HOSTILE,),
    ],
    ids=repr,
)  # fmt: skip
def test_no_command_prints_them_as_they_are(cloud, capsys, arguments):
    run(*arguments)
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert text and not ACTS.search(text), ACTS.search(text)
    assert "Traceback" not in text


def test_what_the_cloud_answers_is_not_printed_as_it_is(cloud, capsys):
    cloud.failing["GET /compute/flavors/detail"] = HOSTILE + "x" * 100_000
    run("flavor", "check")
    captured = capsys.readouterr()
    assert not ACTS.search(captured.out + captured.err) and len(captured.err) < 9000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T01:00:00", 3600),
        ("1970-01-01T01:00:00Z", 3600),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T01:00:00-0030", 5400),
        ("1970-01-02", 86400),
        ("1970-01-01T23:59+23:59", 0),
        ("1970-01-01T01:00:00+99:99", None),
        ("1970-01-01T01:00:00+24:00", None),
        ("1970-01-01T01:00:00+01:60", None),  # datetime takes it for +02:00
        ("1970-01-01T01:00:00-01:99", None),
        ("1970-01-01T01:00:00+01:00:99", None),
        ("1970-01-01T01:00:00+01:00Z", None),
        ("", None),
    ],
)
def test_offsets_are_those_of_a_clock(text, seconds):
    if seconds is None:
        with pytest.raises(ValueError):
            moment_of(text)
    else:
        assert moment_of(text).timestamp() == seconds
