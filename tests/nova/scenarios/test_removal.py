"""The steps of docs/nova/install.md#removal: a cloud then is what it was before cospot."""

import os
import re
import signal
import subprocess

import pymysql
import pytest
from deployment import identity
from deployment.backing_services import rabbitmq_environment, rabbitmqctl
from deployment.config_files import EVICTOR_ROLE, READER_ROLE
from deployment.flavors import create_flavors
from deployment.settings import PASSWORD, ROOT
from waiting import wait_until
from watch import evictor_users

PAGE = (ROOT / "docs" / "nova" / "install.md").read_text().partition("\n## Removal\n")[2]
#: Commands that the page has for what is left when all packages and files are gone.
LEFT = re.search(r"^7\. .*?^   ```sh\n(.*?)^   ```$", PAGE, re.MULTILINE | re.DOTALL)[1]


def names_in_rabbitmq(cloud, what):
    done = rabbitmqctl(cloud.settings, cloud.processes, f"list_{what}", "name")
    assert done.returncode == 0, done.stderr
    # A service that starts again has others of its own; Cinder's are of other scenarios.
    names = {re.sub(r"[0-9a-f]{32}", "*", line.strip()) for line in done.stdout.splitlines()}
    return {each for each in names if not each.startswith("cinder")}


def database(cloud, statement):
    port = cloud.settings.port("mariadb")
    fields = {"host": "127.0.0.1", "port": port, "user": "cospot", "password": PASSWORD}
    with pymysql.connect(**fields) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return {row[0] for row in cursor.fetchall()}


def snapshot(cloud):
    """Return the names of all that the services of a cloud and the evictor's machine hold."""
    keystone, placement = identity.Catalogue(cloud.settings).api, cloud.placement
    kinds = ("users", "roles", "projects", "services", "domains")
    found = {
        kind: {each["name"] for each in keystone.get(f"/{kind}").json()[kind]} for kind in kinds
    }
    classes = placement.get("/resource_classes").json()["resource_classes"]
    flavors = cloud.nova.get("/flavors?is_public=None").json()["flavors"]
    folder = cloud.settings.folder
    return {
        **found,
        "classes": {each["name"] for each in classes},
        "traits": set(placement.get("/traits").json()["traits"]),
        "flavors": {each["name"] for each in flavors},
        "queues": names_in_rabbitmq(cloud, "queues"),
        "exchanges": names_in_rabbitmq(cloud, "exchanges"),
        "databases": database(cloud, "SHOW DATABASES"),
        # State, audit log, plans and locks.
        "files": {f"cospot-evictor/{each.name}" for each in folder.glob("evictor/**/*")},
    }


def of_cospot(names):
    """Return what is cospot's of a snapshot; the deployment's own users are none of its."""
    own = {*identity.SERVICE_USERS, READER_ROLE} - {"cospot-evictor"}
    return {
        kind: {each for each in all_ - own if "spot" in each.lower()}
        for kind, all_ in names.items()
    }


@pytest.fixture
def install(cloud):
    """Make everything of cospot as the other scenarios want it: when called, and at the end."""
    provider_files = {
        host.name: (cloud.settings.folder / "providers" / host.name / "spot.yaml").read_text()
        for host in cloud.settings.hosts
    }

    def install():
        for host, text in provider_files.items():
            (cloud.settings.folder / "providers" / host / "spot.yaml").write_text(text)
        restart_computes(cloud)
        cloud.services.wait_for_inventories()
        catalogue = identity.Catalogue(cloud.settings)
        service = catalogue.api.get("/projects?name=service").json()["projects"][0]["id"]
        catalogue.add_user("cospot-evictor", service, identity.SERVICE_USERS["cospot-evictor"])
        catalogue.grant(service, catalogue.user("cospot_narrow"), (EVICTOR_ROLE,))
        for flavor in cloud.nova.get("/flavors?is_public=None").json()["flavors"]:
            cloud.nova.delete(f"/flavors/{flavor['id']}")
        create_flavors(cloud.services.admin("compute"))
        evictor_users.cache_clear()
        cloud.set_policy(absent=True)

    yield install
    install()


def restart_computes(cloud):
    for host in cloud.settings.hosts:
        cloud.processes.stop(f"compute-{host.name}", signal.SIGKILL)
    cloud.start_what_is_down()


def run_what_is_left(cloud):
    """Run the page's commands against this cloud's services."""
    settings = cloud.settings
    folder = settings.folder / "removal"
    folder.mkdir(exist_ok=True)
    port = settings.port("mariadb")
    classes = settings.url("placement", "/resource_classes")
    token = identity.session(settings, "admin", "admin").get_token()
    words = {
        # osc-placement is not everywhere: what it does is one request.
        "openstack": f"""case "$*" in
  *"resource class delete"*)
    for name; do :; done
    exec curl -sf -X DELETE -H 'X-Auth-Token: {token}' \\
      -H 'OpenStack-API-Version: placement 1.2' "{classes}/$name" ;;
  *) exec /usr/bin/openstack "$@" ;;
esac""",
        "rabbitmqctl": 'exec /usr/lib/rabbitmq/bin/rabbitmqctl --silent "$@"',
        "mysql": f'exec /usr/bin/mysql -h 127.0.0.1 -P {port} -u cospot -p{PASSWORD} "$@"',
    }
    for name, line in words.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    text = re.sub(r"/var/lib/cospot-evictor", str(settings.folder / "evictor"), LEFT)
    text = re.sub(r"(?<= )/(etc/cospot|var/log/cospot-evictor)\b", rf"{folder}/\1", text)
    environment = cloud.processes.environment(
        {
            **rabbitmq_environment(settings),
            "PATH": f"{folder}:{os.environ['PATH']}",
            "OS_AUTH_URL": settings.auth_url,
            "OS_USERNAME": "admin",
            "OS_PASSWORD": PASSWORD,
            "OS_PROJECT_NAME": "admin",
            "OS_USER_DOMAIN_ID": "default",
            "OS_PROJECT_DOMAIN_ID": "default",
            "OS_IDENTITY_API_VERSION": "3",
        }
    )
    done = subprocess.run(
        ["/bin/bash", "-e", "-c", text],
        env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def use(cloud):
    """Have all that leaves something: plans, an eviction, a state database."""
    database(cloud, "CREATE DATABASE IF NOT EXISTS cospot")
    cloud.set_policy(otn=1)
    cloud.start_evictor()
    cloud.boot("spot", 8, 6144, host="h1")
    cloud.boot("vm", 4, 4096, host="h1", filtered=True)
    cloud.wait_until_not_overcommitted()


def remove(cloud):
    """Follow the page."""
    # Steps 1 to 6: flavors, spots, evictor, nova.conf, inventories, packages.
    for flavor in cloud.nova.get("/flavors?is_public=None").json()["flavors"]:
        if flavor["name"].startswith("spot."):
            cloud.nova.delete(f"/flavors/{flavor['id']}")
    cloud.empty()
    cloud.stop_evictors(signal.SIGTERM)
    cloud.set_policy(absent=True)
    for host in cloud.settings.hosts:
        (cloud.settings.folder / "providers" / host.name / "spot.yaml").unlink()
    restart_computes(cloud)

    def have_no_inventory():
        return not any(
            "CUSTOM_SPOT_VCPU" in cloud.placement.get(path).json()["inventories"]
            for provider in cloud.providers().values()
            for path in [f"/resource_providers/{provider}/inventories"]
        )

    wait_until(have_no_inventory, "no host has an inventory of spots")
    run_what_is_left(cloud)  # step 7


def test_a_cloud_is_afterwards_what_it_was_before(cloud, install):
    use(cloud)
    kinds = {"users", "roles", "classes", "flavors", "queues", "exchanges", "databases", "files"}
    assert {kind for kind, names in of_cospot(snapshot(cloud)).items() if names} == kinds
    remove(cloud)  # after this and whatever the scenarios before did nothing has its name
    before = snapshot(cloud)
    assert not any(of_cospot(before).values()), of_cospot(before)
    install()
    use(cloud)
    remove(cloud)
    assert snapshot(cloud) == before
