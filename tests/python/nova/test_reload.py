"""Reloads while threads read all the while: what is in force afterwards is what the file says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.live_options import LiveOptions
from oslo_config import cfg

#: With options read from oslo.config by two threads about one reload in twelve was lost.
RELOADS = 60
READERS = 2

OPTIONS = [
    cfg.BoolOpt("enabled", default=True, mutable=True),
    cfg.BoolOpt("dry_run", default=False, mutable=True),
    cfg.IntOpt("limit", default=0, min=0, mutable=True),
    cfg.ListOpt("names", default=["a"], mutable=True),
    cfg.IntOpt("workers", default=8),
]


@contextmanager
def reading(read: Callable[[], object]) -> Iterator[None]:
    """Have threads call a function all the while."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            read()

    threads = [threading.Thread(target=run, daemon=True) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def register(conf: Any) -> None:
    conf.register_opts(OPTIONS, group="service")


def write(path: Path, **values: Any) -> None:
    lines = [f"{name} = {value}" for name, value in values.items()]
    path.write_text("\n".join(["[service]", *lines]) + "\n")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "service.conf"
    write(path)
    return path


@pytest.fixture
def live(file):
    conf = cfg.ConfigOpts()
    register(conf)
    conf(["--config-file", str(file)])
    return LiveOptions(conf, "service", OPTIONS, register)


def test_no_reload_is_lost_and_none_is_seen_in_part(file, live):
    torn: list[object] = []

    def read() -> None:
        now = live.now
        if now.limit % 2 != now.enabled or now.limit % 2 == now.dry_run:
            torn.append(now)

    write(file, enabled=False, dry_run=True, limit=0)
    live.reload()
    with reading(read):
        for number in range(RELOADS):
            is_on = number % 2 == 1
            write(file, enabled=is_on, dry_run=not is_on, limit=number)
            live.reload(live._conf.mutate_config_files)
            assert (live.enabled, live.dry_run, live.limit) == (is_on, not is_on, number)
            assert live.now.fault == ""
    assert torn == []


def test_what_may_not_change_stays(file, live):
    write(file, workers=3, names="b,c")
    live.reload()
    assert live.workers == 8
    assert live.names == ("b", "c")
    with pytest.raises(AttributeError):
        _ = live.nothing


@pytest.mark.parametrize("wrong", ["[service]\nenabled = maybe\n", "nonsense", None])
def test_of_wrong_files_nothing_is_taken(file, live, wrong):
    write(file, enabled=False)
    live.reload()
    before = live.now
    if wrong is None:
        file.unlink()
    else:
        file.write_text(wrong)
    with pytest.raises((cfg.Error, ValueError)):
        live.reload()
    assert live.now is before


def test_files_that_change_while_they_are_read_are_read_again(file, live, monkeypatch):
    """As when an editor empties the file before it writes it: `enabled` is true by default."""
    whole = LiveOptions._read
    off = "[service]\nenabled = false\n"
    states = ["", off, off]

    def read(self: LiveOptions) -> Any:
        if states:
            file.write_text(states.pop(0))
        return whole(self)

    monkeypatch.setattr(LiveOptions, "_read", read)
    live.reload()
    assert live.enabled is False
    assert live.now.fault == ""


@pytest.mark.parametrize("ending", ["changing", "wrong"])
def test_what_cannot_be_verified_is_distrusted_until_it_can(file, live, monkeypatch, ending):
    whole = LiveOptions._read
    readings = [0]

    def read(self: LiveOptions) -> Any:
        readings[0] += 1
        write(file, limit=readings[0] if ending == "changing" or readings[0] == 1 else "many")
        return whole(self)

    with monkeypatch.context() as patch:
        patch.setattr(LiveOptions, "_read", read)
        live.reload()
    assert "what is in force is not in the files" in live.now.fault
    assert readings[0] == 4  # once to take it and three times to verify it
    write(file, limit=7)
    live.reload()
    assert live.limit == 7
    assert live.now.fault == ""


def test_the_evictor_obeys_its_switches_after_each_of_many_reloads(running):
    """The same through the service itself, whose threads read its switches."""
    for module in ("keystoneauth1", "oslo_messaging", "tooz", "prometheus_client"):
        pytest.importorskip(module)
    from evictor_running import metric, write_configuration

    service = running.start(metrics_port=0)
    with reading(service.context.switches.now):
        for number in range(RELOADS):
            off, dry = number % 2 == 0, number % 3 == 0
            url = running.server.url
            write_configuration(running.folder, url, enabled=not off, dry_run=dry)
            service.reload()
            assert (service.context.switches.now().why_off is not None) == off, number
            assert service.context.switches.now().is_dry_run == dry, number
            assert metric(service, "enabled") == (not off and not dry)


def test_the_evictor_evicts_nothing_by_a_file_it_cannot_verify(running, monkeypatch, caplog):
    from evictor_running import metric, write_configuration
    from waiting import wait_until

    service = running.start()
    whole = LiveOptions._read
    readings = [0]

    def read(self: LiveOptions) -> Any:
        readings[0] += 1
        write_configuration(running.folder, running.server.url, evictions_per_minute=readings[0])
        return whole(self)

    with monkeypatch.context() as patch:
        patch.setattr(LiveOptions, "_read", read)
        service.reload()
    assert "evictions are off: what is in force is not in the files" in caplog.text or any(
        "what is in force is not in the files" in each.getMessage() for each in caplog.records
    )
    assert metric(service, "enabled") == 0
    host, (spot,) = running.full_host(1)
    running.cloud.add(host, 8, 1024, spot=False)
    wait_until(lambda: bool(running.events("held_back")), "the spot is held back")
    assert running.cloud.orders == []
    service.reload()
    wait_until(lambda: running.cloud.deleted == [spot], "the spot is evicted")


def test_the_scheduler_obeys_its_switches_after_each_of_many_reloads(scheduler_file):
    """Nova calls `mutate_config_files`; its newer releases do so beside native threads."""
    from scheduler_cases import Plugin

    path, conf = scheduler_file()
    plugin = Plugin([])
    with reading(plugin.filter._settings):
        for number in range(RELOADS):
            is_on, dry, otn = number % 2 == 1, number % 3 == 0, number + 1
            path.write_text(f"[cospot]\nenabled = {is_on}\ndry_run = {dry}\notn = {otn}\n")
            conf.mutate_config_files()
            found = plugin.filter._settings()
            assert (found.enabled, found.dry_run, found.otn) == (is_on, dry, str(otn)), number


def test_the_scheduler_decides_nothing_by_a_file_it_cannot_read(
    scheduler_file, monkeypatch, caplog
):
    """VMs go where Nova's own weighers say, spots nowhere: as with any wrong configuration."""
    from scheduler_cases import SPOT, VM, Plugin, full_of_spots, make_state

    path, conf = scheduler_file()
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    assert plugin.place(states, VM) == ["a", "c"]
    with monkeypatch.context() as patch:

        def fail(self: LiveOptions) -> Any:
            raise cfg.ConfigFilesNotFoundError([str(path)])

        patch.setattr(LiveOptions, "_read", fail)
        conf.mutate_config_files()
    assert plugin.place(states, VM) == ["c", "a"]
    assert plugin.place(states, SPOT) == []
    assert "cannot be read again" in caplog.text
    conf.mutate_config_files()
    assert plugin.place(states, VM) == ["a", "c"]


def test_a_refused_reload_is_a_metric_until_one_succeeds(scheduler_file, tmp_path, monkeypatch):
    from cospot.nova.scheduler import metrics
    from scheduler_cases import Plugin
    from waiting import wait_until

    path, conf = scheduler_file()
    folder = str(tmp_path)
    monkeypatch.setitem(metrics._MADE, folder, metrics.SchedulerMetrics(folder, every=0.05))
    text = f"[cospot]\nmetrics_directory = {folder}\n"
    path.write_text(text)
    conf.reload_config_files()
    Plugin([]).filter._settings()

    def shown() -> str:
        return "".join(each.read_text() for each in tmp_path.glob("*.prom"))

    for more, value in (("otnn = 1\n", 1), ("otn = 1\n", 0)):
        path.write_text(text + more)
        conf.mutate_config_files()
        wait_until(lambda v=value: f'reload_failed{{worker="0"}} {v}' in shown(), "it is shown")
