"""`cospot-nova doctor` on a configuration: what is broken in it is named."""

import time

import pytest
from doctor_cases import FILTERS, GOOD, bad, configure, diagnose
from promise_cases import make_table, write_table


def test_a_good_configuration_is_all_ok(config, capsys):
    code, results = diagnose(capsys, "--offline", "--config-file", configure(config))
    assert (code, bad(results)) == (0, {})
    assert len(results) == 15


#: What is set in nova.conf, or left out where nothing is set; the check, its verdict and finding.
BROKEN = """\
filter_scheduler available_filters+ = | filter | error | available_filt
filter_scheduler enabled_filters = ComputeFilter | filter | error | does not name CospotFilter
filter_scheduler enabled_filters = CospotFilter,ComputeFilter | filter | error | is not the last
filter_scheduler enabled_filters = CospotFilter,ComputeFilter,CospotFilter | filter | error\
 | not the last
filter_scheduler weight_classes = nova.scheduler.weights.all_weighers | weigher | error\
 | weight_classes is nova
filter_scheduler weight_classes = cospot.nova.scheduler.weigher.CospotWeigher,\
nova.scheduler.weights.ram.RAMWeigher | weigher | error | RAMWeigher
filter_scheduler host_subset_size = 3 | host_subset_size | error | host_subset_size is 3
filter_scheduler host_subset_size = three | host_subset_size | error | host_subset_size
filter_scheduler track_instance_changes = false | instance tracking | warning\
 | track_instance_changes is off
DEFAULT transport_url = | messages | error | transport_url names no host
oslo_messaging_notifications driver = messagingv2 | notifications | unknown\
 | Nova fills the queue notifications.info: RabbitMQ was not asked
cospot vm_policy = CSO | policies | error | COS
cospot evictor = LPX | policies | error | valid names: FIFO, LPKM, YJF
cospot resources = VCPU | policies | error | MEMORY_MB
cospot resources = VCPU,RAM | policies | error | RAM
cospot otn = 0 | policies | error | otn
cospot dry_runn = true | policies | error | did you mean dry_run?
cospt dry_run = true | policies | error | did you mean [cospot]?
cospot fallback_weighers = nova.no.Such | policies | error | fallback_weig
cospot vm_policy = nova; cospot vm_weighers = nova.scheduler.weights.ram.Such | policies | error\
 | Class Such cannot be found
cospot enabled = false | policies | warning | enabled is false
cospot dry_run = true | policies | warning | dry_run is true
cospot plan_hosts = 2 | policies | warning | max_attempts is 3
DEFAULT initial_cpu_allocation_ratio = | initial ratios | warning\
 | cpu_allocation_ratio is 3.0, initial_cpu_allocation_ratio is
quota count_usage_from_placement = | quota | warning | count_usage_from_placement is off
DEFAULT resize_confirm_window = | resizes | warning | resize_confirm_window is 0
DEFAULT reclaim_instance_interval = 600 | soft delete | warning | reclaim_instance_interval is 600 s
"""


@pytest.mark.parametrize("row", BROKEN.splitlines())
def test_one_broken_setting_is_named(config, capsys, row):
    settings, name, verdict, text = row.split(" | ")
    change = {}
    for setting in settings.split("; "):
        group, option, _, *value = setting.split(" ")
        change[group, option.replace("+", " ")] = value[0] if value else None
    code, results = diagnose(capsys, "--offline", "--config-file", configure(config, change))
    assert bad(results) == {name: verdict}
    assert code == (1 if verdict == "error" else 0)
    finding = next(one for one in results[name]["findings"] if one["verdict"] == verdict)
    assert not any(raw in finding["found"] for raw in ("LocationInfo", "Traceback", "literal"))
    assert text in finding["found"] and finding["fix"] and results[name]["why"]


def test_nova_s_own_weighers_may_stand_beside_the_weigher(config, capsys):
    """Nova takes server groups with soft affinity only then."""
    classes = f"nova.scheduler.weights.all_weighers,{GOOD['filter_scheduler', 'weight_classes']}"
    path = configure(config, {("filter_scheduler", "weight_classes"): classes})
    assert diagnose(capsys, "--offline", "--config-file", path)[0] == 0


def test_the_mending_mends(config, capsys):
    """What is said of the order of filters is a line that nova.conf takes."""
    path = configure(config, {FILTERS: "CospotFilter,ComputeFilter"})
    _, results = diagnose(capsys, "--offline", "--config-file", path)
    fix = results["filter"]["findings"][0]["fix"]
    group, _, line = fix.partition("] ")
    assert group == "[filter_scheduler"
    configure(config, {FILTERS: line.partition(" = ")[2]})
    assert diagnose(capsys, "--offline", "--config-file", path)[0] == 0


@pytest.mark.parametrize("text", ["[filter_scheduler\n", "x\n", "\x00"])
def test_a_file_that_is_no_configuration_is_one_error(config, said, text):
    config.write_text(text)
    error = said("doctor", "--offline", "--config-file", config, code=2)
    assert error.startswith("cospot-nova: error: Nova's configuration: ")


def promising(table, **options):
    """Return settings with a target of 0.05 and its table."""
    chosen = {"lifetime_target": "0.05", "evictor": "YJF", "lifetime_promises": table, **options}
    return {("cospot", option): str(value) for option, value in chosen.items() if value}


def promise_finding(config, capsys, changes):
    """Return the exit code, and what the check of promises found that is not ok."""
    code, results = diagnose(capsys, "--offline", "--config-file", configure(config, changes))
    bad_ones = [one for one in results["promises"]["findings"] if one["verdict"] != "ok"]
    assert set(bad(results)) <= {"promises"}
    return code, [(one["verdict"], one["found"]) for one in bad_ones]


def test_promises_with_a_fresh_table_are_ok(config, tmp_path, capsys):
    table = write_table(tmp_path / "promises.json")
    assert promise_finding(config, capsys, promising(table)) == (0, [])


def test_promises_that_nobody_would_get_are_errors(config, tmp_path, capsys):
    def found(changes):
        code, findings = promise_finding(config, capsys, changes)
        assert code == 1 and [verdict for verdict, _ in findings] == ["error"]
        return findings[0][1]

    assert "no file is set" in found(promising(None))
    assert "No such file" in found(promising(tmp_path / "missing.json"))
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    assert "expected the format" in found(promising(broken))
    old = write_table(tmp_path / "old.json", make_table(observed_until=time.time() - 90_000))
    assert "promises_max_age is" in found(promising(old))
    assert promise_finding(config, capsys, promising(old, promises_max_age=100_000)) == (0, [])
    other = write_table(tmp_path / "other.json", make_table(targets=(0.1, 0.25)))
    assert "lifetime_target 0.05, only for 0.1, 0.25" in found(promising(other))


def test_promises_half_switched_on_are_warnings(config, tmp_path, capsys):
    table = write_table(tmp_path / "promises.json")
    code, findings = promise_finding(config, capsys, promising(table, evictor="FIFO"))
    assert code == 0
    assert [(verdict, "evictor = FIFO" in text) for verdict, text in findings] == [
        ("warning", True)
    ]
    code, findings = promise_finding(config, capsys, promising(table, lifetime_target=None))
    assert code == 0
    assert "lifetime_target is not" in findings[0][1]
