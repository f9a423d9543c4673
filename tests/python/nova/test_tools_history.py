"""`cospot-nova history export`: from tables that Nova's own models make, to a workload."""

import gzip
import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone

import cospot
import pytest
import sqlalchemy
from nova_database import ApiDatabase, NovaDatabase
from tool_cases import cloud_for, run, server

START = datetime(2026, 5, 1)
HOUR = timedelta(hours=1)
SPOT = {"resources:CUSTOM_SPOT_VCPU": "2"}


@pytest.fixture
def database(tmp_path):
    cell = NovaDatabase(tmp_path / "cell1.sqlite")
    cell.host("h1", 8, 1000, 4.0, 1.0)
    cell.host("h2", 8, 1000, 4.0, 1.0)
    cell.host("h3", 64, 9000, 0.0, 1.5)
    cell.host("gone", 1, 1, 1.0, 1.0, deleted=4)
    return cell


def export(database, *arguments, output="history.csv.gz"):
    path = database.path.parent / output
    window = ("--window-start", "2026-05-01", "-o", path)
    assert run("history", "export", "--database", database.url, *window, *arguments) == 0
    return path


def requests(path):
    """The rows of a workload, as cospot reads them, by the id of the instance."""
    columns = cospot.Workload.load(path).to_columns()
    rows = zip(*(columns[name] for name in columns), strict=True)
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    return {row["instance_id"]: row for row in found}


def test_instances_become_requests(database, capsys):
    vm = database.instance(START - 10 * 24 * HOUR, ephemeral_gb=5, swap=1025)
    short = database.instance(START + HOUR, START + 3 * HOUR, project_id="green", vcpus=8)
    spot = database.instance(START + 2 * HOUR, START + 2.5 * HOUR, extra_specs=SPOT)
    path = export(database, "--with-disk")
    output = capsys.readouterr().out
    assert f"{path}: 2 VMs and 1 spots of 2 projects" in output
    assert "its window starts at 2026-05-01T00:00:00Z" in output
    rows = requests(path)
    assert set(rows) == {vm, short, spot}
    # 20 + 5 + 2 GiB: 1,025 MiB of swap take two whole GiB
    assert [rows[vm][name] for name in ("vcpus", "memory_mb", "disk_gb")] == [2, 4096, 27]
    assert rows[short]["vcpus"] == 8
    info = cospot.Workload.load(path).info()
    assert (info["vms"]["requests"], info["spots"]["requests"]) == (2, 1)
    text = {line.split(",")[0]: line.split(",") for line in unpacked(path).splitlines()}
    assert text[vm][6:] == ["-864000.000000", "never"]
    assert text[short][6:] == ["3600.000000", "10800.000000"]
    assert text[spot][2] == "spot" and text[spot][6:] == ["7200.000000", "9000.000000"]


def unpacked(path):
    return gzip.decompress(path.read_bytes()).decode()


def test_revenue_of_the_workload_is_that_of_the_rows(database):
    """Against arithmetic: a VM with 2 vCPUs from the start on, a spot with 4 for 12 hours."""
    database.instance(START)
    database.instance(START + HOUR, START + 13 * HOUR, vcpus=4, extra_specs=SPOT)
    result = cospot.simulate(
        cospot.Workload.load(export(database)),
        hosts=1,
        host=(6, 8192),
        vm="COS",
        spot="sCOS",
        evictor="FIFO",
    )
    assert result.vm_revenue == 2 * 14 * 86400
    assert result.spot_revenue == 4 * 12 * 3600


def test_archived_instances_are_read_and_hidden_ones_are_not(database):
    archived = database.instance(START, START + HOUR, prefix="shadow_")
    database.instance(START, hidden=True)
    assert list(requests(export(database))) == [archived]


def test_what_cannot_be_a_request_is_left_out_and_counted(database, capsys):
    kept = database.instance(START - 20 * 24 * HOUR, START - 13 * 24 * HOUR)
    database.instance(START - 20 * 24 * HOUR, START - 15 * 24 * HOUR)
    database.instance(START, launched=False)
    database.instance(START, vcpus=0)
    assert list(requests(export(database))) == [kept]
    output = capsys.readouterr().out
    assert "left out: 1 that never ran" in output
    assert "left out: 1 that have no size" in output
    assert len(requests(export(database, "--lead-days", "30"))) == 2


def test_days_of_which_no_deleted_instance_is_known_are_doubted(database, capsys):
    """Deleted instances were purged until the tenth of fourteen days."""
    database.instance(START - 200 * 24 * HOUR)
    database.instance(START + 9 * 24 * HOUR, START + 10 * 24 * HOUR)
    export(database, "--window-days", "14")
    said = capsys.readouterr().out
    assert "no instance is known to have ended in the first 10 of 14 days; if" in said
    assert "--window-start 2026-05-11T00:00:00 begins with the first end" in said
    database.instance(START - 24 * HOUR, START - HOUR)
    export(database, "--window-days", "14")
    assert "no instance is known" not in capsys.readouterr().out


def test_an_instance_without_its_flavor_is_a_vm(database):
    uuid = database.instance(START, flavor=None)
    assert not requests(export(database))[uuid]["is_spot"]


def test_clocks_that_differ_make_no_negative_life(database):
    uuid = database.instance(START + HOUR, START + HOUR - timedelta(seconds=2))
    line = next(line for line in unpacked(export(database)).splitlines() if uuid in line)
    assert line.endswith(",3600.000000,3600.000000")


def test_flavors_can_be_tried_out_as_spots(database):
    batch = database.instance(START, flavor="batch.large")
    database.instance(START, flavor="m1.batch")
    rows = requests(export(database, "--spot-flavor", "batch.*"))
    assert [uuid for uuid in rows if rows[uuid]["is_spot"]] == [batch]


def test_projects_are_hashed_unless_kept(database):
    database.instance(START)
    database.instance(START)
    hashed = unpacked(export(database, output="a.csv.gz"))
    assert "blue" not in hashed
    assert len({line.split(",")[1] for line in hashed.splitlines()[1:]}) == 1
    assert "blue" in unpacked(export(database, "--keep-projects", output="b.csv.gz"))


def test_the_same_history_is_the_same_bytes(database):
    database.instance(START)
    database.instance(START + HOUR)
    assert export(database, output="a.csv.gz").read_bytes() == (
        export(database, output="b.csv.gz").read_bytes()
    )
    plain = export(database, output="c.csv")
    assert plain.read_text() == unpacked(database.path.parent / "a.csv.gz")


def test_the_window_is_stated_where_it_is_known(database, capsys):
    """Of an export up to now, and with --window-days; else it follows from the requests."""
    database.instance(START)
    database.instance(START + 20 * 24 * HOUR + HOUR)
    derived = export(database)
    assert not unpacked(derived).startswith("#")
    assert cospot.Workload.load(derived).window_days == 21
    stated = export(database, "--window-days", "30.5")
    assert unpacked(stated).startswith("# window_days: 30.5\ninstance_id,")
    assert cospot.Workload.load(stated).window_days == 30.5
    path = database.path.parent / "now.csv"
    for arguments, days in (((), 14), (("--window-days", "7"), 7)):
        more = ("-o", path, "--lead-days", "9000", *arguments)
        assert run("history", "export", "--database", database.url, *more) == 0
        assert path.read_text().startswith(f"# window_days: {days}\n")
        assert cospot.Workload.load(path).window_days == days
    capsys.readouterr()
    assert run("history", "export", "--database", database.url, "--window-days", "0") == 2
    assert "expected a number from 1 to 10000" in capsys.readouterr().err


@pytest.mark.parametrize("disk", [[], ["--with-disk"]])
def test_the_example_sweep_has_all_hosts_and_runs(database, program, tmp_path, capsys, disk):
    import subprocess

    for _ in range(20):
        database.instance(START, memory_mb=100)
    database.instance(START, vcpus=8, memory_mb=100, extra_specs=SPOT)
    database.instance(START, vcpus=64, memory_mb=13000, root_gb=1)
    export(database, *disk)
    assert "history-hosts.csv: 3 hosts that are up\n" in capsys.readouterr().out
    # Each host's own: 8 vCPUs * 4.0, 1000 MiB * 1.0; 64 * 1.0 (0.0 says nothing), 9000 * 1.5;
    # 40 GiB * 2.0.
    assert (tmp_path / "history-hosts.csv").read_text().splitlines() == [
        "name,vcpus,memory_mb,disk_gb,zone,aggregates,metadata,status",
        "h1,32,1000,80,,,,up",
        "h2,32,1000,80,,,,up",
        "h3,64,13500,80,,,,up",
    ]
    sweep = tmp_path / "history.yaml"
    assert "host: history-hosts.csv\n" in sweep.read_text()
    results = tmp_path / "results.csv"
    subprocess.run(
        [program, "compare", sweep, "--db", tmp_path / "r.db", "--csv", results], check=True
    )
    rows = results.read_text().splitlines()
    assert len(rows) == 1 + 2 * 2 * 5
    header = rows[0].split(",")
    first = dict(zip(header, rows[1].split(","), strict=True))
    assert (first["vm_requests"], first["spot_requests"], first["hosts"]) == ("21", "1", "3")
    # The large VM fits the third host only, which takes VMs of 20 GiB too: by disk 4 of the 20 fit
    # a host, by memory and vCPUs all.
    assert first["vm_too_large"] == "0"


def test_hosts_have_their_own_capacity_zone_and_status(database, tmp_path, capsys):
    """Zones and aggregates are in the API database; a silent compute is down."""
    for name, minutes, disabled in (("h1", 0, False), ("h2", 1, True), ("h3", 11, False)):
        row = {"host": name, "binary": "nova-compute", "topic": "compute", "report_count": 1}
        row |= {"disabled": disabled, "forced_down": False, "deleted": 0}
        database.insert("services", **row, last_seen_up=START - timedelta(minutes=minutes))
    api = ApiDatabase(tmp_path, database.url)
    for number, name in enumerate(("az1", "fast"), 1):
        api.insert("aggregates", id=number, uuid=name, name=name)
    for host, number in (("h1", 1), ("h1", 2), ("h3", 2)):
        api.insert("aggregate_hosts", host=host, aggregate_id=number)
    for number, key, value in (
        *((1, "availability_zone", "az1"), (2, "disk", "ssd, nvme")),
        (2, "filter_tenant_id", "blue"),
    ):
        api.insert("aggregate_metadata", aggregate_id=number, key=key, value=value)
    config = api.config
    database.instance(START)
    fast = {"aggregate_instance_extra_specs:disk": "ssd", "hw:cpu_policy": "shared"}
    asking = database.instance(START, extra_specs=fast)
    gone = database.instance(START)
    for uuid, zone in ((asking, "az1"), (gone, "az9")):
        spec = json.dumps({"nova_object.data": {"availability_zone": zone}})
        api.insert("request_specs", instance_uuid=uuid, spec=spec)
    api.insert("instance_groups", id=7, uuid="g7", name="web")
    rules = '{"max_server_per_host": 2}'
    api.insert("instance_group_policy", group_id=7, policy="anti-affinity", rules=rules)
    api.insert("instance_group_member", instance_uuid=asking, group_id=7)
    output = ("-o", tmp_path / "all.csv", "--window-start", "2026-05-01", "--keep-projects")
    assert run("history", "export", "--config-file", config, *output) == 0
    metadata = "disk=nvme;disk=ssd;filter_tenant_id=blue"
    assert (tmp_path / "all-hosts.csv").read_text().splitlines()[1:] == [
        f"h1,32,1000,80,az1,az1;fast,availability_zone=az1;{metadata},up",
        "h2,32,1000,80,nova,,,disabled",
        f"h3,64,13500,80,nova,fast,{metadata},down",
    ]
    said = capsys.readouterr().out
    assert "1 hosts that are up; left out of simulations: 1 down, 1 disabled" in said
    assert "left out: 1 that asked for a zone that no host is in (the zone alone)" in said
    header, *rows = (tmp_path / "all.csv").read_text().splitlines()
    assert header.endswith("end_s,zone,extra_specs,group,group_policy,max_server_per_host")
    asked = {row.split(",")[0]: row.split(",")[8:] for row in rows}
    wish = "aggregate_instance_extra_specs:disk=ssd"
    assert asked[asking] == ["az1", wish, "g7", "anti-affinity", "2"]
    assert asked[gone] == [""] * 5
    hashed = (*output[:1], tmp_path / "hashed.csv", *output[2:4])
    assert run("history", "export", "--config-file", config, *hashed) == 0
    assert "blue" not in (tmp_path / "hashed-hosts.csv").read_text()


def test_which_spots_asked_for_a_lifetime(database, tmp_path):
    from cospot.nova.spot_flavors import spot_extra_specs

    api = ApiDatabase(tmp_path, database.url)
    spot = spot_extra_specs(2, 4096, 0)
    hinted, empty, by_flavor, wrong, vm = (
        database.instance(START, extra_specs=specs)
        for specs in (spot, spot, {**spot, "cospot:lifetime": "2h"}, spot, {})
    )
    database.instance(START, extra_specs=spot)  # its request is forgotten
    hints = {
        hinted: {"cospot:lifetime": ["1h 30min"]},
        empty: {"group": ["g7"]},
        by_flavor: {},
        wrong: {"cospot:lifetime": ["soon"]},
        vm: {"cospot:lifetime": ["1h"]},
    }
    for uuid, given in hints.items():
        spec = json.dumps({"nova_object.data": {"scheduler_hints": given}})
        api.insert("request_specs", instance_uuid=uuid, spec=spec)
    output = ("-o", tmp_path / "all.csv.gz", "--window-start", "2026-05-01")
    assert run("history", "export", "--config-file", api.config, *output) == 0
    lifetimes = tmp_path / "all-lifetimes.csv"
    assert lifetimes.read_text().splitlines() == [
        "instance_id,asked_s",
        *sorted([f"{hinted},5400", f"{empty},0", f"{by_flavor},7200", f"{wrong},0"]),
    ]
    # What another export has left is not that of this workload.
    with api.engine.begin() as connection:
        connection.execute(sqlalchemy.text("DELETE FROM request_specs"))
    assert run("history", "export", "--config-file", api.config, *output) == 0
    assert not lifetimes.exists()


@pytest.fixture
def configuration(database, tmp_path):
    path = tmp_path / "nova.conf"
    path.write_text(f"[database]\nconnection = {database.url}\n")
    return path


def test_capacity_is_what_placement_grants(monkeypatch, database, configuration, tmp_path, capsys):
    """(8 - 2) vCPUs * 4.0 and 1000 - 100 MiB; h2 grants no VCPU, and h3 is not known."""
    database.instance(START)
    memory = {"total": 1000, "reserved": 100}
    with cloud_for(monkeypatch) as cloud:
        for name, inventories in (
            ("h1", {"VCPU": {"total": 8, "reserved": 2, "allocation_ratio": 4.0}}),
            ("h2", {"PCPU": {"total": 8}}),
        ):
            cloud.add_host(name, inventories={**inventories, "MEMORY_MB": memory})
            with database.engine.begin() as connection:
                connection.execute(
                    sqlalchemy.text("UPDATE compute_nodes SET uuid = :uuid WHERE host = :name"),
                    {"uuid": cloud.hypervisors[-1]["id"], "name": name},
                )
        window = ("--window-start", "2026-05-01")
        output = ("-o", tmp_path / "granted.csv")
        assert run("history", "export", "--config-file", configuration, *window, *output) == 0
    assert (tmp_path / "granted-hosts.csv").read_text().splitlines()[1:] == [
        "h1,24,900,0,,,,up",
        "h3,64,13500,80,,,,up",
    ]
    said = capsys.readouterr().out
    assert "placement does not tell what is reserved, which counts as capacity: of 1 of 3" in said


def test_without_placement_reserved_capacity_counts(
    monkeypatch, database, configuration, tmp_path, capsys, said
):
    database.instance(START)
    arguments = ("--config-file", configuration, "--window-start", "2026-05-01")
    with cloud_for(monkeypatch) as cloud:
        monkeypatch.setenv("OS_AUTH_URL", cloud.url.replace(":", ":1", 1)[:-2])
        path = tmp_path / "alone.csv"
        assert "of 3 of 3 hosts: " in said("history", "export", *arguments, "-o", path)
    for name in ("OS_AUTH_URL", "OS_USERNAME", "OS_PASSWORD", "OS_PROJECT_NAME"):
        monkeypatch.delenv(name, raising=False)
    assert run("history", "export", *arguments, "-o", tmp_path / "bare.csv") == 0
    assert "counts as capacity: no credentials" in capsys.readouterr().out
    for name in ("alone", "bare"):
        rows = (tmp_path / f"{name}-hosts.csv").read_text().splitlines()
        assert rows[1].split(",")[:3] == ["h1", "32", "1000"]


def test_a_sweep_that_is_there_is_left_alone(database, capsys):
    database.instance(START)
    sweep = database.path.parent / "history.yaml"
    sweep.write_text("mine")
    export(database)
    assert sweep.read_text() == "mine"
    assert "already exists, left as it is" in capsys.readouterr().out


def test_every_cell_of_nova_conf_is_read(database, tmp_path):
    """Cell 0 holds what never got a host; mappings may be templates."""
    other = NovaDatabase(tmp_path / "cell2.sqlite")
    first, second = database.instance(START), other.instance(START, uuid="b" * 36)
    config = ApiDatabase(
        tmp_path, "{scheme}:///" + str(database.path), other.url, has_all=False
    ).config
    with config.open("a") as file:
        file.write(f"[database]\nconnection = {database.url}\n")
    path = tmp_path / "all.csv"
    output = ("-o", path, "--window-start", "2026-05-01")
    assert run("history", "export", "--config-file", config, *output) == 0
    assert sorted(requests(path)) == sorted([first, second])


def test_the_database_is_not_written_to(database):
    database.instance(START)
    before = database.path.read_bytes()
    export(database)
    assert database.path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--database", "sqlite:////nowhere/nova.sqlite"], "there is no such file"),
        (["--database", "mysql+pymysql://u:secret@127.0.0.1:1/nova"], "u:***@127.0.0.1:1/nova: "),
        (["--database", "no url with secret"], "the URL of the database cannot be read"),
        (["--database", "oracle+nothing://u:secret@h/d"], "oracle"),
        (["--database", "mysql+pymysql://u:secret@h:x/nova"], "the URL of the database cannot be"),
        (["--database", "mysql+pymysql://u:secret@a..b/nova"], "u:***@a..b/nova: encoding with"),
        (["--database", "mysql+pymysql://u:secret@h/nova?odd=1"], "unexpected keyword argument"),
        (["--window-start", "yesterday"], "'yesterday', expected such as 2026-05-01"),
        (["--window-start", "0001-01-01"], "'0001-01-01', expected a time from 2010-01-01 to 2037"),
        (["--window-start", "9999-12-31T23:59-14:00"], "expected a time from 2010-01-01 to 2037"),
        (["--lead-days", "nan"], "'nan', expected a number from 0 to 10000"),
        (["--lead-days", "inf"], "'inf', expected a number from 0 to 10000"),
        (["--lead-days", "1e300"], "'1e300', expected a number from 0 to 10000"),
        (["--lead-days", "-3"], "'-3', expected a number from 0 to 10000"),
        (["--lead-days", "many"], "'many', expected a number from 0 to 10000"),
        (["--config-file", "/nowhere"], "/nowhere"),
        (["-o", "history.yaml"], "history.yaml: the study file gets such a name, expected one for"),
    ],
)
def test_bad_input_is_one_error_without_the_password(tmp_path, said, arguments, text):
    error = said("history", "export", "-o", tmp_path / "h.csv", *arguments, code=2)
    assert text in error and "Traceback" not in error and "secret" not in error
    assert sum("error: " in line for line in error.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("days", ["0", "10000"])
def test_the_least_and_the_most_lead_days_are_taken(database, days):
    uuid = database.instance(START)
    path = export(database, "--window-start", "2010-01-01", "--lead-days", days)
    assert list(requests(path)) == [uuid]


def test_a_database_of_something_else_is_one_error(tmp_path, capsys):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
        connection.commit()
    assert run("history", "export", "--database", f"sqlite:///{path}") == 2
    assert "no such table: instances" in capsys.readouterr().err


def test_the_api_gives_the_same_bytes_as_the_database(monkeypatch, database, tmp_path, capsys):
    vm = database.instance(START)
    spot = database.instance(START + HOUR, START + 2 * HOUR, extra_specs=SPOT)
    expected = unpacked(export(database))
    with cloud_for(monkeypatch) as cloud:
        cloud.page = 1
        gone = {"ended": START + 2 * HOUR, "status": "DELETED", "extra_specs": SPOT}
        cloud.servers = [server(vm, START), server(spot, START + HOUR, **gone)]
        size = {"VCPU": {"total": 8, "allocation_ratio": 2.0}}
        cloud.add_host("h1", inventories={**size, "MEMORY_MB": {"total": 1000, "reserved": 100}})
        path = tmp_path / "api.csv"
        assert not run("history", "export", "--api", "-o", path, "--window-start", "2026-05-01")
    assert path.read_text() == expected
    # (1000 - 100) MiB: placement knows what is reserved
    assert (tmp_path / "api-hosts.csv").read_text().splitlines()[1:] == [
        "h1.example,16,900,0,nova,,,up"
    ]


#: Requests to a server, by hours after it began, and their failures; when the server was deleted
#: and the host that it has; when its row ends.
SHELVED = [
    ([(1, "shelve", False)], None, None, 1),
    ([(1, "shelve", False), (2, "shelveOffload", False)], None, None, 2),
    ([(1, "shelve", False)], 4, None, 1),
    ([(1, "shelve", False), (2, "unshelve", True)], None, None, 1),
    ([(1, "shelve", False), (2, "unshelve", False)], None, "h1", None),
    ([(1, "shelve", False), (2, "unshelve", False), (3, "shelve", False)], 5, None, 3),
    ([(1, "shelve", False), (2, "unshelve", False)], 5, "h1", 5),
    ([(1, "shelve", False)], None, "h1", None),  # not offloaded: its host still holds it
    ([], 4, None, 4),
]


def test_a_shelved_server_is_over(monkeypatch, database, tmp_path):
    """Offloaded it holds nothing, as the import of other people's records has it."""
    servers, expected, actions = [], {}, {}
    for asked, deleted, host, end in SHELVED:
        ended = None if deleted is None else START + deleted * HOUR
        uuid = database.instance(START, ended, host=host)
        database.action(uuid, "create", asked=START)
        actions[uuid] = []
        for hour, action, failed in asked:
            when = START + hour * HOUR
            database.action(uuid, action, asked=when, message="Error" if failed else None)
            shown = {"action": action, "start_time": when.isoformat()}
            actions[uuid].insert(0, {**shown, "message": "Error" if failed else None})
        status = "ACTIVE" if ended is None else "DELETED"
        servers.append(server(uuid, START, ended=ended, status=status))
        servers[-1]["OS-EXT-SRV-ATTR:host"] = host
        expected[uuid] = "never" if end is None else f"{3600 * end}.000000"

    def ends(path):
        rows = [line.split(",") for line in unpacked(path).splitlines()]
        return {row[0]: row[7] for row in rows if row[0] in expected}

    assert ends(export(database)) == expected
    with cloud_for(monkeypatch) as cloud:
        cloud.servers, cloud.actions = servers, actions
        path = tmp_path / "api.csv.gz"
        assert not run("history", "export", "--api", "-o", path, "--window-start", "2026-05-01")
    assert ends(path) == expected


def test_a_cell_that_does_not_answer_is_one_error(monkeypatch, tmp_path, capsys):
    with cloud_for(monkeypatch) as cloud:
        cloud.servers = [{"id": "a", "status": "UNKNOWN", "created": "2026-05-01T00:00:00Z"}]
        assert run("history", "export", "--api", "-o", tmp_path / "h.csv") == 2
    assert "1 servers are in a cell that does not answer" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_empty_history_is_said(database, capsys):
    path = database.path.parent / "h.csv"
    assert run("history", "export", "--database", database.url, "-o", path) == 2
    assert not path.exists()
    assert "there is no instance to write" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("begins", "days", "seconds", "text"),
    [
        (-3, ["--window-days", "30"], "", "-days 30: since --window-start 3.00 days have passed"),
        (2, [], ":%S", "--window-start is 2.00 days from now"),
    ],
)
def test_a_window_that_is_not_over_is_refused(database, capsys, begins, days, seconds, text):
    database.instance(START)
    path = database.path.parent / "h.csv"
    start = datetime.now(timezone.utc) + timedelta(days=begins, seconds=30)
    window = ("--window-start", start.strftime("%Y-%m-%dT%H:%M" + seconds), *days)
    assert run("history", "export", "--database", database.url, "-o", path, *window) == 2
    assert text in capsys.readouterr().err and not path.exists()
