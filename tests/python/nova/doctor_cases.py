"""What the tests of `cospot-nova doctor` share: a good set-up, and how it is diagnosed."""

import contextlib
import json

from cospot.nova.tools.doctor import evictor_checks
from tool_cases import cloud_for, run

GOOD = {
    ("DEFAULT", "transport_url"): "rabbit://guest:guest@127.0.0.1:1/",
    ("DEFAULT", "initial_cpu_allocation_ratio"): "3.0",
    ("DEFAULT", "cpu_allocation_ratio"): "3.0",
    ("DEFAULT", "resize_confirm_window"): "3600",
    ("filter_scheduler", "available_filters"): "nova.scheduler.filters.all_filters",
    ("filter_scheduler", "available_filters "): "cospot.nova.scheduler.filter.CospotFilter",
    ("filter_scheduler", "enabled_filters"): "ComputeFilter,CospotFilter",
    ("filter_scheduler", "weight_classes"): "cospot.nova.scheduler.weigher.CospotWeigher",
    ("quota", "count_usage_from_placement"): "true",
    ("cospot", "otn"): "4",
}
GOOD_EVICTOR = f"[DEFAULT]\ntransport_url = {GOOD['DEFAULT', 'transport_url']}\n[cospot_evictor]\n"
EVICTOR_METRICS = {"reconcile_seconds_count": 7, "enabled": 1, "hosts": 2}
FILTERS = ("filter_scheduler", "enabled_filters")


def configure(path, changes=None):
    values = {**GOOD, **(changes or {})}
    lines = []
    for group in dict.fromkeys(group for group, _ in values):
        lines.append(f"[{group}]")
        for (own, option), value in values.items():
            if own == group and value is not None:
                lines.append(f"{option.strip()} = {value}")
    path.write_text("\n".join(lines) + "\n")
    return path


def write_private(path, text):
    """Write a file with passwords, as people should."""
    path.write_text(text)
    path.chmod(0o640)
    return path


def login(cloud):
    """The lines of the evictor's user."""
    return [
        "auth_type = password",
        f"auth_url = {cloud.url}/identity/v3",
        "username = cospot-evictor",
        "password = secret",
        "project_name = service",
        "user_domain_name = Default",
        "project_domain_name = Default",
    ]


def diagnose(capsys, *arguments):
    """Run it; return its exit code and the results by the name of the check."""
    code = run("doctor", "--format", "json", *arguments)
    checks = json.loads(capsys.readouterr().out)["checks"]
    return code, {check["check"]: check for check in checks}


def bad(results):
    return {name: one["verdict"] for name, one in results.items() if one["verdict"] != "ok"}


@contextlib.contextmanager
def good_cloud(monkeypatch):
    """A cloud with nothing to find fault with."""
    with cloud_for(monkeypatch) as stand_in:
        sizes = {
            "VCPU": {"total": 8, "allocation_ratio": 4.0},
            "MEMORY_MB": {"total": 4096, "reserved": 512},
            "CUSTOM_SPOT_VCPU": {"total": 32, "max_unit": 8},
            "CUSTOM_SPOT_MEMORY_MB": {"total": 3584},
        }
        for host in ("h1", "h2"):
            stand_in.add_host(host, inventories=sizes)
        stand_in.add_flavor("m1", 2, 2048)
        assert run("flavor", "create-spot", "m1") == 0
        monkeypatch.setattr(evictor_checks, "queue_state", lambda settings, queue: (0, 1))
        stand_in.metrics = EVICTOR_METRICS
        yield stand_in


def diagnose_cloud(cloud, capsys, config, *arguments, changes=None):
    capsys.readouterr()
    evictor = config.parent / "good-evictor.conf"
    write_private(evictor, GOOD_EVICTOR + "\n".join(["[nova]", *login(cloud), ""]))
    return diagnose(
        capsys,
        *("--config-file", configure(config, changes)),
        *("--evictor-config-file", evictor),
        *("--evictor-metrics", f"{cloud.url}/metrics"),
        *arguments,
    )
