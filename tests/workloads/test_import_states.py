#!/usr/bin/env python3
"""What `cospot workload import` reads off the states of servers and pods.

Each class is one kind of mistake, looked for in every format that can have it.
Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import itertools
import unittest

from cloud_objects import (
    FLAVORS,
    KUBERNETES,
    OPENSTACK,
    KindCase,
    at,
    container,
    disrupted,
    node,
    pod,
)


class OverButUnknownWhen(KindCase):
    """What is over ends when it was first seen so; else it is left out and counted."""

    def test_pods_that_failed_between_snapshots(self):

        def terminated(when):
            return [{"state": {"terminated": {"finishedAt": when}}}]

        fates = {
            "evicted": {"phase": "Failed", "reason": "Evicted"},
            "lost": {"phase": "Failed", "containerStatuses": terminated(None)},
            "done": {"phase": "Succeeded"},
            # Chosen to go at 09:40, and at 09:45 not to.
            "chosen": {"phase": "Failed", "conditions": disrupted(at(9, 40))},
            "spared": {"phase": "Failed", "conditions": disrupted(at(9, 45), "False")},
            # A container that tells is believed; an init container tells too.
            "told": {
                "phase": "Failed",
                "conditions": disrupted(at(9, 40)),
                "containerStatuses": terminated(at(9, 50)),
            },
            "init": {
                "phase": "Failed",
                "containerStatuses": [{"state": {"waiting": {}}}],
                "initContainerStatuses": terminated(at(9, 20)),
            },
            # Still runs, whoever is to go.
            "leaving": {"phase": "Running", "conditions": disrupted(at(9, 40))},
        }
        later = [pod(name, **fate) for name, fate in fates.items()]
        files = [
            self.snapshot("09.json", node("n1", at(9)), *[pod(name) for name in fates]),
            self.snapshot("10.json", node("n1", at(10)), *later),
            self.snapshot("11.json", node("n1", at(11)), *later),
        ]
        # The window begins at 09:00; the snapshot of 10:00 is the first that shows them over.
        expected = dict.fromkeys(fates, "3600")
        expected |= {"chosen": "2400", "told": "3000", "init": "1200", "leaving": "never"}
        for order in itertools.permutations(files):
            self.import_files(f"{' '.join(order)} {KUBERNETES}")
            assert self.ends() == expected, (order, self.ends())

    def test_pods_that_came_and_failed_between_snapshots(self):
        self.snapshot("09.json", node("n1", at(9)), pod("web"))
        new = pod("new", started=at(9, 30), phase="Failed")
        self.snapshot("10.json", node("n1", at(10)), pod("web"), new)
        self.import_files(f"09.json 10.json {KUBERNETES}")
        assert self.ends() == {"web": "never", "new": "3600"}

    def test_pods_that_were_over_before_the_first_snapshot(self):
        old, older = pod("old", phase="Failed"), pod("older", phase="Succeeded")
        self.snapshot("09.json", node("n1", at(9)), pod("web"), old, older)
        self.snapshot("10.json", node("n1", at(10)), pod("web"), old)
        for files in ("09.json", "09.json 10.json", "10.json 09.json"):
            printed = self.import_files(f"{files} {KUBERNETES}")
            assert self.ends() == {"web": "never"}, files
            assert "left out: 2 rows that are over, at a time that is unknown" in printed

    def test_daemons_that_are_over_take_nothing_off_a_node(self):
        daemons = [pod(f"agent-{i}", owner="DaemonSet", phase="Failed") for i in range(4)]
        runs = pod("agent", owner="DaemonSet")
        self.snapshot("p.json", node("n1", at(9)), pod("web"), *daemons, runs)
        self.import_files(f"p.json {KUBERNETES} --window-days 14 --hosts-out h.csv")
        # 16 CPUs and 64 GiB, less 2 CPUs and 2 GiB of the one that runs.
        assert "n1,16cpu-65536mib,14000,63488,,up" in (self.folder / "h.csv").read_text()

    def test_servers_without_a_host(self):
        # Fails before it has a host; on a host; shelved and still there; hidden from a customer.
        servers = [
            ("runs", "ACTIVE", "h1"), ("away", "SHELVED_OFFLOADED", None),
            ("failed", "ERROR", None), ("coming", "BUILD", None), ("gone", "DELETED", "h1"),
            ("broken", "ERROR", "h1"), ("shelved", "SHELVED", "h1"), ("hidden", "ACTIVE", None),
        ]  # fmt: skip
        kept = {"runs", "broken", "shelved", "hidden"}
        self.write_json("flavors.json", FLAVORS)
        listed = [
            {"ID": name, "Flavor Name": "m1.small", "Status": status, "Host": host}
            | {"Created At": at(9)}
            for name, status, host in servers
        ]
        api = [
            {"id": name, "tenant_id": "p", "status": status, "created": at(9)}
            | {"OS-EXT-SRV-ATTR:host": host, "flavor": {"vcpus": 1, "ram": 2048}}
            | {"OS-SRV-USG:launched_at": at(9), "OS-SRV-USG:terminated_at": None}
            for name, status, host in servers
        ]
        states = {"ACTIVE": "active", "BUILD": "building"}
        lines = [
            f"{name},{host or 'NULL'},{states.get(status, status.lower())},1,2048,2026-03-10 09:00,"
            "2026-03-10 09:00,NULL"
            for name, status, host in servers
        ]
        columns = "uuid,host,vm_state,vcpus,memory_mb,created_at,launched_at,deleted_at"
        self.write_json("list.json", listed)
        self.write_json("api.json", {"servers": api})
        self.write("dump.csv", "\n".join([columns, *lines]) + "\n")
        for file in ("list.json --flavors flavors.json", "api.json", "dump.csv"):
            printed = self.import_files(f"{file} {OPENSTACK}")
            assert set(self.ends()) == kept, (file, self.ends())
            assert "left out: 4 rows that are over, at a time that is unknown" in printed
        # Without the hosts nobody knows of failed ones that they have none.
        for server in listed:
            del server["Host"]
        self.write_json("list.json", listed)
        self.import_files(f"list.json {OPENSTACK} --flavors flavors.json")
        assert set(self.ends()) == kept | {"failed", "coming"}

    def test_deleted_and_shelved_in_usage_and_rows_marked_deleted(self):
        usage = [
            {"instance_id": name, "vcpus": 1, "memory_mb": 2048, "state": state}
            | {"started_at": at(9), "ended_at": end}
            for name, state, end in (
                ("runs", "active", None), ("ended", "terminated", at(10)),
                ("gone", "terminated", None), ("away", "shelved_offloaded", None),
            )
        ]  # fmt: skip
        self.write_json("usage.json", {"tenant_usage": {"server_usages": usage}})
        self.import_files(f"usage.json {OPENSTACK}")
        assert set(self.ends()) == {"runs", "ended"}
        self.write(
            "dump.csv",
            "uuid,vcpus,memory_mb,created_at,deleted\nruns,1,2048,2026-03-10 09:00,0\n"
            "unknown,1,2048,2026-03-10 09:00,\\N\ngone,1,2048,2026-03-10 09:00,17\n",
        )
        self.import_files(f"dump.csv {OPENSTACK}")
        assert set(self.ends()) == {"runs", "unknown"}

    def test_pods_of_alibaba(self):
        self.write(
            "pods.csv",
            "name,cpu_milli,memory_mib,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
            "runs,1000,1024,LS,Running,0,,10\nended,1000,1024,LS,Failed,0,90,10\n"
            "failed,1000,1024,LS,Failed,0,,10\ndone,1000,1024,BE,Succeeded,0,,10\n",
        )
        printed = self.import_files("pods.csv --format alibaba2023")
        assert self.ends() == {"runs": "never", "ended": "80"}
        assert "left out: 2 rows that are over, at a time that is unknown" in printed


class Looks(KindCase):
    """A file without a kind of object is no look at it."""

    def test_pods_and_nodes_in_two_files(self):
        agent = pod("agent", owner="DaemonSet", spec={"containers": [container("500m", "1Gi")]})
        pods = (pod("web"), agent)
        self.snapshot("pods.json", *pods)
        self.snapshot("nodes.json", node("n1", at(12)), node("n2", at(12)))
        for files in ("pods.json nodes.json", "nodes.json pods.json"):
            self.import_files(f"{files} {KUBERNETES} --window-days 14 --hosts-out h.csv")
            assert self.ends() == {"web": "never"}
            # Less 500m and 1 GiB of the DaemonSet.
            assert [(h["name"], h["vcpus"], h["memory_mb"]) for h in self.rows("h.csv")] == [
                ("n1", "15500", "64512"),
                ("n2", "16000", "65536"),
            ]
            assert "pods.json: no node tells when the snapshot was taken" in self.warnings[0]

    def test_the_api_states_the_kind_of_its_items_once(self):
        def without_kind(item):
            return {key: value for key, value in item.items() if key != "kind"}

        pods = [without_kind(pod(name)) for name in ("web", "db")]
        self.write_json("pods.json", {"kind": "PodList", "items": pods})
        nodes = [without_kind(node("n1", at(12)))]
        self.write_json("nodes.json", {"kind": "NodeList", "items": nodes})
        self.import_files(f"pods.json nodes.json {KUBERNETES} --window-days 14 --hosts-out h.csv")
        assert self.ends() == {"web": "never", "db": "never"}

    def test_two_looks_at_one_moment(self):
        self.snapshot("a.json", node("n1", at(9)), pod("web"))
        self.snapshot("b.json", node("n2", at(9)), pod("db", node="n2"))
        self.snapshot("c.json", node("n1", at(10)), node("n2", at(10)), pod("db", node="n2"))
        self.import_files(f"a.json b.json c.json {KUBERNETES}")
        assert self.ends() == {"web": "3600", "db": "never"}


class PodRequests(KindCase):
    """What a pod requests is what its scheduler counts."""

    def imported_sizes(self, **specs):
        pods = [pod(name, spec=spec.pop("spec"), **spec) for name, spec in specs.items()]
        self.snapshot("p.json", node("n1", at(9)), *pods)
        self.import_files(f"p.json {KUBERNETES} --window-days 14")
        return self.sizes()

    def test_init_containers_run_beside_the_sidecars_before_them(self):
        def spec(*init, cpu="100m", memory="100Mi"):
            starting = [
                container(cpu, memory, **({"restartPolicy": "Always"} if always else {}))
                for always, cpu, memory in init
            ]
            return {"spec": {"containers": [container(cpu, memory)], "initContainers": starting}}

        sizes = self.imported_sizes(
            before=spec((True, "100m", "100Mi"), (False, "200m", "200Mi")),
            after=spec((False, "200m", "200Mi"), (True, "100m", "100Mi")),
            two=spec(
                *((True, "250m", "256Mi"), (False, "500m", "512Mi"), (True, "250m", "256Mi")),
                (False, "2", "1Gi"),
                cpu="1",
                memory="1Gi",
            ),
        )
        # before: 100 + 200 while starting, 100 + 100 later. after: 200, then 100 + 100. two: 250,
        # 250 + 500, 500, 500 + 2000 of CPU against 1000 + 500; 512 + 1024 of memory both times.
        assert sizes == {"before": (300, 300), "after": (200, 200), "two": (2500, 1536)}

    def test_pod_level_resources_come_first(self):
        def spec(part, overhead=None, **whole):
            return {
                "spec": {
                    "containers": [container(*part), container(name="d")],
                    "resources": {"requests": whole},
                    "overhead": overhead or {},
                }
            }

        sizes = self.imported_sizes(
            none=spec((), cpu="2", memory="4Gi"),
            both=spec(("500m", "1Gi"), cpu="2", memory="4Gi"),
            cpu=spec(("500m", "1Gi"), cpu="3"),
            over=spec(("500m", "1Gi"), cpu="2", overhead={"cpu": "250m", "memory": "64Mi"}),
        )
        # Resource by resource; overhead (250m, 64Mi) comes on top of either.
        assert sizes == {
            "none": (2000, 4096), "both": (2000, 4096), "cpu": (3000, 1024), "over": (2250, 1088),
        }  # fmt: skip

    def test_a_resize_in_place_counts_as_the_most_until_it_is_done(self):
        def spec(asked, has, allocated, init=False, **status):
            sidecar = [container("1", "0", name="side", restartPolicy="Always")] if init else []
            statuses = "initContainerStatuses" if init else "containerStatuses"
            name = "side" if init else "c"
            state = container(
                has, name=name, allocatedResources={"cpu": allocated, "memory": "2Gi"}
            )
            pods = {"containers": [container(asked, "1Gi")], "initContainers": sidecar}
            return {"spec": pods, statuses: [state]} | status

        def pending(reason):
            return [{"type": "PodResizePending", "status": "True", "reason": reason}]

        sizes = self.imported_sizes(
            up=spec("4", "2", "2"),
            down=spec("1", "3", "2"),
            refused=spec("64", "2", "2", conditions=pending("Infeasible")),
            before_1_33=spec("64", "2", "2", resize="Infeasible"),
            deferred=spec("8", "2", "2", conditions=pending("Deferred")),
            sidecar=spec("1", "3", "2", init=True),
        )
        # Of asked, set and set aside the most; what no node can give does not count. Memory: 2 GiB
        # are set aside. The sidecar has 3 CPUs, and the container asks for 1 CPU and 1 GiB.
        assert sizes == {
            "up": (4000, 2048), "down": (3000, 2048), "refused": (2000, 2048),
            "before_1_33": (2000, 2048), "deferred": (8000, 2048), "sidecar": (4000, 3072),
        }  # fmt: skip


if __name__ == "__main__":
    unittest.main()
