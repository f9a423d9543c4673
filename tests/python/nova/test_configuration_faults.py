"""A misspelt option or section is an error, at the start and at a reload, and is said plainly."""

from __future__ import annotations

from pathlib import Path

import pytest
from cospot.nova.configuration_faults import plain, readable_secrets
from cospot.nova.evictor import command, options
from evictor_running import metric, write_configuration
from oslo_config import cfg


def started(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what the service says instead of starting."""
    assert command.main(["--config-file", str(path)]) == 2
    return capsys.readouterr().err


def misspelt(name: str) -> str:
    """Return a name with its last letter twice, which is the slip that changes it least."""
    return name + name[-1]


@pytest.fixture
def path(tmp_path):
    return write_configuration(tmp_path, "http://127.0.0.1:1")


@pytest.mark.parametrize("option", options.OPTIONS, ids=lambda option: option.name)
def test_each_option_that_is_misspelt_is_named(path, option):
    text = path.read_text()
    for name, is_known in (
        (option.name, True),
        (option.name.replace("_", "-"), True),
        (misspelt(option.name), False),
    ):
        path.write_text(text.replace("[nova]", f"{name} = {option.default}\n[nova]"))
        conf = cfg.ConfigOpts()
        options.register(conf)
        conf(["--config-file", str(path)])
        found = options.faults(conf, dict.fromkeys(options._PATHS, ""))
        assert found == (
            []
            if is_known
            else [f"{path}: [cospot_evictor] {name}: no such option, did you mean {option.name}?"]
        )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[nova]", "dry_runn = true\n[nova]", "dry_runn: no such option, did you mean dry_run?"),
        ("[nova]", "zzz = true\n[nova]", "zzz: no such option, expected one of: action, audit_l"),
        ("[cospot_evictor]", "[cospot-evictor]", "no such section, did you mean [cospot_evictor]?"),
        ("[cospot_evictor]", "[cospot_evictr]", "no such section, did you mean [cospot_evictor]?"),
        ("[placement]", "[plcement]", "no such section, did you mean [placement]?"),
        ("[cospot_evictor]", "[something]", "expected a section [cospot_evictor], found none"),
        ("[nova]", "[nova]\ntimeuot = 3", "[nova] timeuot: no such option, did you mean timeout?"),
        ("[nova]", "workers = many\n[nova]", "[cospot_evictor] workers: expected a whole number"),
        ("[nova]", "workers = 0\n[nova]", "workers: Should be greater than or equal to 1"),
        ("[nova]", "dry_run = on off\n[nova]", "dry_run: expected true or false, found 'on off'"),
        ("[nova]", "retry_delay = x\n[nova]", "retry_delay: expected a number, found 'x'"),
        ("[nova]", "audit_log = $no/x\n[nova]", "audit_log: no such option no in group [DEFAULT]"),
        ("[nova]", "resources = RAM\n[nova]", "resources: Valid values are"),
    ],
)
def test_the_service_does_not_start(path, capsys, old, new, says):
    path.write_text(path.read_text().replace(old, new))
    said = started(path, capsys)
    assert says in said and len(said.splitlines()) == 1
    assert "LocationInfo" not in said and "literal" not in said and "Traceback" not in said


@pytest.mark.parametrize("name", options._PATHS)
def test_a_path_is_absolute(path, capsys, name):
    kept = [each for each in path.read_text().splitlines() if not each.startswith(f"{name} =")]
    path.write_text("\n".join(kept).replace("[nova]", f"{name} = here\n[nova]"))
    assert f"[cospot_evictor] {name}: found here, expected an absolute path" in started(
        path, capsys
    )


def test_deprecated_names_and_those_of_other_groups_are_known(path):
    """keystoneauth still reads `user-name`; what other libraries read is none of our business."""
    text = path.read_text().replace("auth_type = none", "auth_type = password\nuser-name = x")
    path.write_text(text + "[oslo_messaging_rabbit]\nssl = true\n[whatever]\nkey = 1\n")
    conf = command.read_configuration(["--config-file", str(path)])
    assert options.faults(conf, options.live(conf).now.values) == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("enabled = false\ndry_runn = true", "dry_runn"),
        ("enabled = false\ndisable_file = here", "disable_file"),
        ("enabled = false\nevictions_per_minute = many", "evictions_per_minute"),
        ("enabled = maybe", "enabled"),
        ("enabled = false\nworkers = 0", "workers"),
        (b"[DEFAULT]\ndebug = perhaps", "configuration "),
        (b"no section", "configuration "),
        (b"\x00\xff", "configuration "),
    ],
)
def test_a_reload_keeps_what_is_in_force(running, caplog, wrong, says):
    """Bytes are all of the file, text stands in place of a line."""
    service = running.start(evictions_per_minute=7)
    file = running.folder / "cospot-evictor.conf"
    text, old = file.read_text(), "evictions_per_minute = 7"
    file.write_bytes(wrong if isinstance(wrong, bytes) else text.replace(old, wrong).encode())
    service.reload()
    assert service.context.settings.enabled and service.context.settings.evictions_per_minute == 7
    assert service.context.switches.now().is_on
    assert says in caplog.text and "going on with the old one" in caplog.text
    assert metric(service, "reload_failed") == 1
    assert metric(service, "errors_total", where="reload") == 1
    file.write_text(text.replace(old, "enabled = false"))
    service.reload()
    assert not service.context.settings.enabled
    assert metric(service, "reload_failed") == 0


@pytest.mark.parametrize("mode", [0o644, 0o640])
@pytest.mark.parametrize(
    ("line", "is_secret"),
    [
        ("[nova]\npassword = x", True),
        ("[DEFAULT]\ntransport_url = rabbit://me:x@here/", True),
        ("[cospot_evictor]\nstate_connection = mysql+pymysql://me:x@here/cospot", True),
        ("[DEFAULT]\ntransport_url = rabbit://here/", False),
        ("[cospot_evictor]\nstate_path = /password", False),
    ],
)
def test_passwords_that_everybody_may_read_are_named(tmp_path, line, is_secret, mode):
    file = tmp_path / "a.conf"
    file.write_text(line)
    file.chmod(mode)
    conf = cfg.ConfigOpts()
    conf(["--config-file", str(file)])
    found = readable_secrets(conf)
    assert len(found) == (is_secret and mode == 0o644)
    if found:
        section, key = line.split(" =", maxsplit=1)[0].split("\n")
        assert f"{section} {key}" in found[0] and f"chmod 0640 {file}" in found[0]


def test_a_class_that_is_missing_is_named_without_a_traceback():
    """oslo_utils puts the whole traceback into the text of its ImportError."""
    importutils = pytest.importorskip("oslo_utils.importutils")
    with pytest.raises(ImportError) as caught:
        importutils.import_class("logging.NoSuch")
    assert plain(caught.value) == "Class NoSuch cannot be found"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[cospot]\ndry_runn = true\n", "[cospot] dry_runn: no such option, did you mean dry_run?"),
        ("[cospott]\ndry_run = true\n", "[cospott]: no such section, did you mean [cospot]?"),
        ("[cospot]\nlifetime_promises = here\n", "lifetime_promises: found here, expected an abs"),
    ],
)
def test_the_scheduler_says_it_and_gives_spots_no_host(scheduler_file, caplog, text, says):
    file, conf = scheduler_file(text)
    from scheduler_cases import SPOT, VM, Plugin, make_spec, make_state

    plugin = Plugin([])
    assert says in caplog.text
    states = [make_state("a"), make_state("b")]
    assert plugin.place(states, SPOT) == []
    assert len(plugin.hosts(states, make_spec(VM))) == 2
    file.write_text("[cospot]\n")
    conf.mutate_config_files()
    assert len(plugin.hosts(states, make_spec(SPOT))) == 2
    # A reload with the same mistake changes nothing.
    file.write_text(text)
    conf.mutate_config_files()
    assert len(plugin.hosts(states, make_spec(SPOT))) == 2
    assert "going on with the old one" in caplog.text


def test_fallback_weighers_that_are_none_are_said_at_each_reading(scheduler_file, caplog):
    file, conf = scheduler_file("[cospot]\nfallback_weighers = nova.no.Such\n")
    from scheduler_cases import Plugin

    plugin = Plugin([])
    assert caplog.text.count("[cospot] fallback_weighers: nova.no.Such: ") == 1
    file.write_text("[cospot]\nfallback_weighers = nova.no.Other\n")
    conf.mutate_config_files()
    plugin.filter._settings()
    assert caplog.text.count("[cospot] fallback_weighers: nova.no.Other: ") == 1
