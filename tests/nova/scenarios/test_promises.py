"""Who may ask for a promised lifetime, and how many a project may have."""

import json
import math
import time

import pytest
from cospot.nova.promises.promise_table import PromiseTable, SizePromises, table_to_text
from deployment.stand_ins import IMAGE_ID
from oracle import Policy
from waiting import wait_until

HINT = {"os:scheduler_hints": {"cospot:lifetime": "1h"}}


@pytest.fixture
def promised(cloud, tmp_path):
    """A file by which any spot of 1 vCPU and 1 GiB may be promised any lifetime."""
    now = time.time()
    table = PromiseTable(
        made_at=now,
        observed_until=now,
        targets=(0.05,),
        sizes=[SizePromises((1, 1024, 0), [((0, math.inf),)], ("spot.1x1024",), 10_000)],
        history={"file": "history.csv.gz", "days": 14, "spots": 1000, "evictions": 30},
    )
    path = tmp_path / "promises"
    path.write_text(table_to_text(table))

    def set_policy(**options):
        given = {"lifetime_promises": path, "lifetime_target": 0.05, **options}
        cloud.set_policy(**Policy().options(), **given)

    return set_policy


def ask(cloud, project="apricot"):
    """Ask for a spot by a hint; return whether it got a host."""
    nova = cloud.member_of[project]
    server = {"name": "asks", "flavorRef": "spot.1x1024", "imageRef": IMAGE_ID, "networks": "none"}
    made = nova.post("/servers", json={"server": server, **HINT}).json()["server"]["id"]
    cloud.wait_for_status(made, "ACTIVE", "ERROR")
    return cloud.server(made)["status"] == "ACTIVE"


def test_a_hint_asks_for_nothing_unless_it_may(cloud, promised):
    projects = {name: cloud.member_of[name].get_project_id() for name in ("apricot", "birch")}
    promised()  # flavors
    assert not ask(cloud)
    assert cloud.boot("spot", 1, 1024)  # without a hint as ever
    promised(lifetime_hints="projects", lifetime_projects=projects["birch"])
    assert not ask(cloud)
    assert ask(cloud, "birch")
    promised(lifetime_hints="all")
    assert ask(cloud)


def test_the_bill_has_the_seconds_that_were_promised(cloud, promised, run):
    """Two spots are of one project and size; those of the one that asked count."""
    promised(lifetime_hints="all")
    cloud.start_evictor()
    asked_at = time.time()
    assert ask(cloud)
    ran_at = time.time()
    cloud.boot("spot", 1, 1024)
    journal = cloud.settings.folder / "evictor" / "promises"
    wait_until(lambda: any(each.stat().st_size for each in journal.glob("*.jsonl")), "it is noted")
    time.sleep(3)
    billed_at = time.time()
    month = time.strftime("%Y-%m", time.gmtime(billed_at))
    config = cloud.settings.folder / "cospot-evictor-1.conf"
    command = ("bill", "--month", month, "--json", "--evictor-config-file", config)
    _, output, error = run(*command)
    project = cloud.member_of["apricot"].get_project_id()
    size = {"project_id": project, "flavor": "spot.1x1024"}
    (row,) = [each for each in json.loads(output)["rows"] if size.items() <= each.items()]
    # Nova gives times to the second. Both spots run, so each adds as much.
    promised_seconds = row["promised_seconds"]
    assert billed_at - ran_at - 1 <= promised_seconds <= time.time() - asked_at + 1, error
    assert row["spot_seconds"] > promised_seconds + 1
    assert row["promised_vcpu_seconds"] == promised_seconds  # of 1 vCPU


def test_a_project_has_no_more_promises_than_it_may(cloud, promised):
    """Each of the two workers counts its own: of five, at most four are promised."""
    promised(lifetime_hints="all", lifetimes_per_project=2)
    got = [ask(cloud) for _ in range(5)]
    assert 2 <= got.count(True) <= 4
    assert ask(cloud, "birch")  # another project's are its own
