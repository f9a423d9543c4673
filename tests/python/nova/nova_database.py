"""A cell's database as Nova makes it, for the tests of what reads one."""

import json
from datetime import datetime, timedelta

import sqlalchemy

OWNER = "alice"  # the user whose the instances are


def flavor_json(name, extra_specs=None, swap=0):
    from nova import objects

    objects.register_all()
    size = {"vcpus": 1, "memory_mb": 1, "root_gb": 1, "ephemeral_gb": 0, "swap": swap}
    flavor = objects.Flavor(id=1, flavorid="1", name=name, **size, extra_specs=extra_specs or {})
    return json.dumps({"cur": flavor.obj_to_primitive(), "old": None, "new": None})


class Database:
    """What rows are put into."""

    def insert(self, table, **values):
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        with self.engine.begin() as connection:
            connection.execute(
                sqlalchemy.text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values
            )


class ApiDatabase(Database):
    """The API database beside cells, by their URLs, and `config`, the nova.conf that names it.

    It has the tables that the tools read, or that of the cells alone.
    """

    def __init__(self, folder, *cells, has_all=True):
        from nova.db.api import models

        self.engine = sqlalchemy.create_engine(f"sqlite:///{folder}/api.sqlite")
        tables = models.BASE.metadata.tables
        names = ["cell_mappings"]
        if has_all:
            names += ["request_specs", "aggregates", "aggregate_hosts", "aggregate_metadata"]
            names += ["instance_groups", "instance_group_policy", "instance_group_member"]
        models.BASE.metadata.create_all(self.engine, tables=[tables[name] for name in names])
        for number, url in enumerate(map(str, cells)):
            row = {"uuid": str(number), "name": str(number), "database_connection": url}
            self.insert("cell_mappings", **row, disabled=0)
        self.config = folder / "nova.conf"
        self.config.write_text(f"[api_database]\nconnection = sqlite:///{folder}/api.sqlite\n")


class NovaDatabase(Database):
    """A cell's database: made by Nova's models, and shadow tables as archiving fills them."""

    def __init__(self, path):
        from nova.db.main import models

        self.path = path
        self.url = f"sqlite:///{path}"
        engine = sqlalchemy.create_engine(self.url)
        tables = models.BASE.metadata.tables
        names = ("instances", "instance_extra", "instance_actions", "compute_nodes", "services")
        models.BASE.metadata.create_all(engine, tables=[tables[name] for name in names])
        shadows = sqlalchemy.MetaData()
        for name in ("instances", "instance_extra", "instance_actions"):
            columns = [
                sqlalchemy.Column(column.name, column.type) for column in tables[name].columns
            ]
            sqlalchemy.Table(f"shadow_{name}", shadows, *columns)
        shadows.create_all(engine)
        self.engine = engine
        self.count = 0
        self.actions = 0

    def instance(self, created, ended=None, *, flavor="m1", launched=True, prefix="", **values):
        self.count += 1
        extra_specs = values.pop("extra_specs", None)
        swap = values.pop("swap", 0)
        uuid = values.pop("uuid", f"{self.count:08}-0000-4000-8000-000000000000")
        row = {
            "uuid": uuid, "project_id": "blue", "user_id": OWNER, "vcpus": 2, "memory_mb": 4096,
            "root_gb": 20, "ephemeral_gb": 0, "hidden": False, "created_at": created,
            "launched_at": created + timedelta(seconds=9) if launched else None,
            "terminated_at": ended, "deleted_at": ended + timedelta(seconds=1) if ended else None,
            "deleted": self.count if ended else 0, **values,
        }  # fmt: skip
        if prefix:
            row["id"] = self.count
        self.insert(f"{prefix}instances", **row)
        if flavor:
            extra = {"instance_uuid": uuid, "flavor": flavor_json(flavor, extra_specs, swap)}
            if prefix:
                extra["id"] = self.count
            self.insert(f"{prefix}instance_extra", **extra, deleted=row["deleted"])
        return uuid

    def action(self, instance, action, prefix="", *, asked=None, user=OWNER, message=None):
        """Note that something was asked of an instance, after all that was noted before.

        Args:
            asked: When; of no consequence to most tests.
            user: Who did.
            message: The error of one that failed.
        """
        self.actions += 1
        values = {"id": self.actions, "instance_uuid": instance, "action": action}
        values.update(start_time=asked or datetime(2026, 5, 1), user_id=user, message=message)
        self.insert(f"{prefix}instance_actions", **values, deleted=0)

    def host(self, name, vcpus, memory_mb, cpu_ratio, ram_ratio, deleted=0):
        row = {"host": name, "vcpus": vcpus, "memory_mb": memory_mb, "local_gb": 40}
        row |= {"cpu_allocation_ratio": cpu_ratio, "ram_allocation_ratio": ram_ratio}
        row |= {"disk_allocation_ratio": 2.0, "hypervisor_type": "fake", "hypervisor_version": 1}
        row |= dict.fromkeys(("vcpus_used", "memory_mb_used", "local_gb_used"), 0)
        self.insert("compute_nodes", **row, cpu_info="", deleted=deleted)
