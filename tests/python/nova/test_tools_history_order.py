"""`cospot-nova history export`: who was still there when another came."""

from datetime import datetime, timedelta

import pytest
from nova_database import ApiDatabase, NovaDatabase
from tool_cases import run

START = datetime(2026, 5, 1)
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
SPOT = {"resources:CUSTOM_SPOT_VCPU": "2"}
EVICTOR = "evictor"


@pytest.fixture
def database(tmp_path):
    return NovaDatabase(tmp_path / "cell1.sqlite")


def times(database, *sources):
    """Export; return the start and the end of each instance as the workload has them."""
    path = database.path.parent / "history.csv"
    window = ("--window-start", "2026-05-01", "-o", path)
    sources = sources or ("--database", database.url)
    assert run("history", "export", *window, *sources) == 0
    return {row.split(",")[0]: row.split(",")[6:8] for row in path.read_text().splitlines()}


@pytest.mark.parametrize("archive", ["", "shadow_"])
def test_who_was_deleted_for_another_is_there_when_that_comes(database, archive):
    """Nova keeps whole seconds, and in which order the actions of a cell began."""
    early = database.instance(START, START + HOUR, extra_specs=SPOT)
    evicted = database.instance(START, START + HOUR, extra_specs=SPOT, prefix=archive)
    first = database.instance(START + HOUR)
    second = database.instance(START + HOUR)
    third = database.instance(START + HOUR, START + HOUR)
    other = database.instance(START + 2 * HOUR, START + 2 * HOUR)
    for uuid, action in (
        *((early, "create"), (evicted, "create"), (early, "delete")),
        *((first, "create"), (first, "stop"), (second, "create"), (evicted, "delete")),
        *((third, "create"), (third, "delete"), (other, "create"), (other, "delete")),
    ):
        database.action(uuid, action, archive if uuid == evicted else "")
    found = times(database)
    # `evicted` ends after `second` came, and at the moment at which `third` comes: before it. That
    # ends as it comes, which is after all others.
    assert found[early][1] == "3600.000000"
    assert [found[uuid][0] for uuid in (first, second, third)] == [
        *("3600.000000", "3600.000001", "3600.000002")
    ]
    assert found[evicted][1] == "3600.000002"
    assert found[third][1] == "3600.000002"
    assert found[other] == ["7200.000000", "7200.000000"]


def test_actions_of_different_cells_tell_no_order(database, tmp_path):
    other = NovaDatabase(tmp_path / "cell2.sqlite")
    spot = other.instance(START, START + HOUR, uuid="b" * 36, extra_specs=SPOT)
    vm = database.instance(START + HOUR)
    database.action(vm, "create")
    other.action(spot, "create")
    other.action(spot, "delete")
    found = times(database, "--database", database.url, "--database", other.url)
    assert (found[spot][1], found[vm][0]) == ("3600.000000", "3600.000000")


@pytest.fixture
def slow_conductor(database, tmp_path):
    """Return what exports a spot's end and the start of the VM that it was evicted for.

    The VM was asked for at second 3600 and written down at 3602; the eviction was asked for at
    3600 and done at 3601.
    """
    api = ApiDatabase(tmp_path, database.url)
    database.host("h1", 8, 1000, 1.0, 1.0)

    def export(vm_asked=START + HOUR, vm_host="h1", vm_specs=None, user=EVICTOR, spot_specs=SPOT):
        ended, created = START + HOUR + SECOND, START + HOUR + 2 * SECOND
        spot = database.instance(START, ended, extra_specs=spot_specs, host="h1")
        database.action(spot, "create")
        database.action(spot, "delete", asked=START + HOUR, user=user)
        vm = database.instance(created, extra_specs=vm_specs, host=vm_host)
        database.action(vm, "create")
        if vm_asked is not None:
            api.insert("request_specs", instance_uuid=vm, created_at=vm_asked, spec="{}")
        found = times(database, "--config-file", api.config)
        return found[spot][1], found[vm][0]

    return export


def test_an_eviction_can_end_before_its_vm_is_written_down(slow_conductor):
    assert slow_conductor() == ("3602.000001", "3602.000000")


@pytest.mark.parametrize(
    "otherwise",
    [
        {"vm_asked": START + HOUR + SECOND},  # after the deletion was
        {"vm_asked": None},
        {"vm_host": "h2"},
        {"vm_specs": SPOT},  # no spot is evicted for a spot
        {"user": "alice"},  # who made it
        {"spot_specs": None},
    ],
)
def test_what_was_not_evicted_for_a_vm_ends_when_it_ended(slow_conductor, otherwise):
    assert slow_conductor(**otherwise) == ("3601.000000", "3602.000000")


def test_a_spot_goes_after_the_last_vm_that_may_have_evicted_it(database):
    """Both VMs came to its host in the second of its eviction; a third one a second later."""
    spot = database.instance(START, START + HOUR, extra_specs=SPOT, host="h1")
    first = database.instance(START + HOUR, host="h1")
    elsewhere = database.instance(START + HOUR, host="h2")
    second = database.instance(START + HOUR, host="h1")
    later = database.instance(START + HOUR + SECOND, host="h1")
    database.action(spot, "create")
    database.action(spot, "delete", asked=START + HOUR, user=EVICTOR)
    for vm in (first, elsewhere, second, later):
        database.action(vm, "create")
    found = times(database)
    assert found[spot][1] == "3600.000003"
    assert [found[vm][0] for vm in (first, elsewhere, second, later)] == [
        *("3600.000000", "3600.000001", "3600.000002", "3601.000000")
    ]
