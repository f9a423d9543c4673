"""`cospot-nova plan apply`: what it prints, what Nova cannot do, and what differs in a cloud."""

import configparser
import itertools
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from cospot.nova.spot_flavors import spot_extra_specs
from cospot.nova.tools.plan.pages import history_days
from doctor_cases import GOOD_EVICTOR, configure, good_cloud
from plan_cases import ECONOMY, write_plan
from tool_cases import run

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("COSPOT_PROGRAM", "")


@pytest.fixture(autouse=True)
def nobody(monkeypatch):
    """No credentials, and no configuration where Nova looks."""
    for name in ("OS_AUTH_URL", "OS_AUTH_TYPE", "OS_CLOUD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cloud(monkeypatch):
    with good_cloud(monkeypatch) as stand_in:
        yield stand_in


@pytest.fixture
def plan(tmp_path):
    def write(promises=(), **changes):
        return write_plan(tmp_path / "plan.yaml", promises, **changes)

    return write


def apply(capsys, plan, *arguments):
    """Print it; return the exit code and what is printed with --format json."""
    code = run("plan", "apply", plan, "--dry-run", "--format", "json", *arguments)
    return code, json.loads(capsys.readouterr().out)


def section(text, group):
    """A section of a configuration file; of a repeated option the last."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.read_string(text)
    return dict(parser[group])


def test_the_files_have_what_the_plan_has(plan, capsys):
    code, found = apply(capsys, plan([(6, 0.9)]))
    assert (code, found["cannot"]) == (0, [])
    nova, evictor = found["files"]["nova.conf"], found["files"]["cospot-evictor.conf"]
    assert section(nova, "cospot") == {
        "vm_policy": "COS", "spot_policy": "sDPD", "evictor": "YJF", "otn": "16", "saf": "true",
        "resources": "VCPU,MEMORY_MB,DISK_GB", "lifetime_target": "0.1",
        "lifetime_promises": "/var/lib/cospot/promises.json",
    }  # fmt: skip
    assert section(evictor, "cospot_evictor") == {
        "evictor": "YJF",
        "resources": "VCPU,MEMORY_MB,DISK_GB",
    }
    assert section(nova, "quota") == {"count_usage_from_placement": "true"}
    filters = section(nova, "filter_scheduler")
    assert filters["enabled_filters"].endswith("ServerGroupAffinityFilter,CospotFilter")
    assert "available_filters = nova.scheduler.filters.all_filters\navailable_filters" in nova
    # 36 observations of 6 h: 216 h, 9 days; but no less than is exported anyway.
    assert "6 h with 90 % takes 9 days" in found["files"]["promises.sh"]
    assert "--window-days 14 -o" in found["files"]["promises.sh"]
    assert "--target 0.1 -o /var/lib/cospot/promises.json" in found["files"]["promises.sh"]
    assert "max_placement_results" not in nova


def test_nova_and_its_evictor_take_the_files(plan, capsys, said, tmp_path):
    """The doctor finds nothing but what is to be there first: promises, a window for resizes."""
    bus = tmp_path / "bus.conf"
    bus.write_text(GOOD_EVICTOR)
    folder = tmp_path / "written"
    assert run("plan", "apply", plan([(6, 0.9)]), "--to", folder) == 0
    assert f"written: {folder / 'nova.conf'}" in capsys.readouterr().out
    configs = ("--config-file", bus, "--config-file", folder / "nova.conf")
    checks = json.loads(said("doctor", "--offline", "--format", "json", *configs, code=1))["checks"]
    assert [one["check"] for one in checks if one["verdict"] != "ok"] == ["promises", "resizes"]
    evictor = ("--evictor-config-file", folder / "cospot-evictor.conf")
    found = apply(capsys, plan([(6, 0.9)]), "--offline", *configs, *evictor)[1]
    bad = {
        each["check"]: one["found"]
        for each in found["checks"]
        for one in each["findings"]
        if one["verdict"] == "differs"
    }
    assert list(bad) == ["promises", "evictor agrees"]  # the bus is in another file of the service
    assert "virtual host" in bad["evictor agrees"] or "message bus" in bad["evictor agrees"]


def test_without_dry_run_nothing_is_done(plan, said):
    error = said("plan", "apply", plan(), code=2)
    assert error.startswith("cospot-nova: error: plan apply: nothing is changed in a cloud")
    assert "--dry-run" in error and "--to FOLDER" in error


def test_a_folder_that_is_a_file(plan, capsys, tmp_path):
    (tmp_path / "taken").touch()
    assert run("plan", "apply", plan(), "--to", tmp_path / "taken") == 2
    assert capsys.readouterr().err.startswith("cospot-nova: error: --to ")


def test_one_probability_for_all_promises(plan, capsys):
    """Three classes with 90 %, three with 95 %: of as many the surer; 99 % is left out."""
    promises = [(1, 0.9), (4, 0.9), (24, 0.9), (1, 0.95), (4, 0.95), (12, 0.95), (1, 0.99)]
    code, found = apply(capsys, plan(promises))
    assert code == 1
    assert found["cospot"]["lifetime_target"] == 0.05
    assert [one["hours"] for one in found["promised"]] == [1, 4, 12]
    # What is promised with 95 % is with 90 %, too: only 24 h and 99 % are lost.
    (sentence,) = found["cannot"]
    assert ": 1 h with 99 %, 24 h with 90 % are not sold" in sentence
    found = apply(capsys, plan(promises), "--probability", "0.99")[1]
    assert found["cospot"]["lifetime_target"] == 0.01
    assert "4 h with 90 %, 4 h with 95 %, 12 h with 95 %, 24 h with 90 % are" in found["cannot"][0]
    assert run("plan", "apply", plan(promises), "--dry-run", "--probability", "0.5") == 2
    assert "expected one that the plan sells: 0.9, 0.95, 0.99" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("otn", "option"),
    [
        ("[{epsilon: 0.05}]", "epsilon-0.05"),
        ("[adaptive-32-1-0.8-1]", "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1"),
    ],
)
def test_an_offer_is_an_option_by_its_name(plan, capsys, otn, option):
    code, found = apply(capsys, plan(otn=otn))
    assert (code, found["cannot"], found["cospot"]["otn"]) == (0, [], option)


def test_how_long_a_history_a_promise_takes():
    """ln 0.025 / ln 0.95 = 71.9: 72 times 24 h; 12.8: 13 times 4 h are 52 h, three days."""
    assert history_days(24, 0.05) == 72
    assert history_days(4, 0.25) == 3


@pytest.mark.parametrize(
    ("changes", "sentence", "missing"),
    [
        ({"evictor": "[LPO]"}, "spots are evicted by LPO: 'LPO' needs to know how long", "evictor"),
        ({"evictor": "[Nobody]"}, "spots are evicted by Nobody", "evictor"),
        ({"vm": "[{name: COS, some: 1}]"}, "VMs are placed by COS", "vm_policy"),
        ({"spot": "[{label: two, weighers: [COS, UTIL]}]"}, "placed by COS + UTIL", "spot_policy"),
        ({"spot": "[{label: f, filters: [LifetimeSla], weighers: [COS]}]"},
         "one weigher without options or filters", "spot_policy"),
        ({"vm": "['nova:mine.Weigher']"}, "VMs are placed by nova:mine.Weigher", "vm_policy"),
        (ECONOMY, "25 % of what is asked for is to be sold as Economy instances", None),
    ],
)  # fmt: skip
def test_what_nova_cannot_do_is_one_sentence(plan, capsys, changes, sentence, missing):
    code, found = apply(capsys, plan(**changes))
    assert code == 1
    (said,) = found["cannot"]
    assert sentence in said
    assert missing not in found["cospot"]


def test_promises_take_the_evictor_that_they_are_estimated_with(plan, capsys):
    code, found = apply(capsys, plan([(1, 0.9), (4, 0.9)], evictor="[FIFO]"))
    assert code == 1
    assert "lifetimes are promised (2 classes) with another evictor than YJF" in found["cannot"][0]
    assert "--evictor YJF" in found["cannot"][0]
    assert "lifetime_target" not in found["cospot"] and "promises.sh" not in found["files"]


def test_novas_own_weighers(plan, capsys):
    own = "[{label: Nova, weighers: [RAMWeigher, CPUWeigher, DiskWeigher]}]"
    code, found = apply(capsys, plan(spot=own))
    assert (code, found["cospot"]["spot_policy"]) == (0, "nova")
    found = apply(capsys, plan(vm=own))[1]
    assert found["cospot"]["vm_policy"] == "nova"
    assert "hides spots from Nova's weighers" in found["cannot"][0]


def test_survival_curves(plan, capsys, tmp_path):
    code, found = apply(capsys, plan(evictor="[LPKM]"))
    assert code == 0
    model = "/var/lib/cospot/curves.txt"
    assert found["cospot"]["evictor_model"] == found["cospot_evictor"]["evictor_model"] == model
    assert f"--kind kaplan-meier -o {model}" in found["files"]["models.sh"]
    found = apply(capsys, plan(evictor="[{name: LPKM, model: c.txt}]"))[1]
    assert found["cospot"]["evictor_model"] == str(tmp_path / "c.txt")
    assert "which is not here" in found["notes"][0]


def test_what_the_runs_had_besides_is_a_note(plan, capsys):
    code, found = apply(capsys, plan(disruptions="{retry: {}}", schedulers="4"))
    assert code == 0
    assert "also had disruptions, schedulers" in found["notes"][0]


def test_a_plan_that_sells_nothing(tmp_path, capsys):
    path = tmp_path / "plan.yaml"
    path.write_text(
        "# What `cospot plan` advises:\n#   Sell nothing.\n# There is nothing to run.\n"
    )
    assert run("plan", "apply", path, "--dry-run") == 0
    assert (
        capsys.readouterr().out
        == "Sell nothing.\nNothing is to be sold, so nothing is to be set.\n"
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, "plan.yaml: No such file or directory; make it: cospot plan -o"),
        (b"", "plan.yaml: is empty; expected what `cospot plan -o` wrote"),
        (b"[1, 2]", "plan.yaml: found no keys"),
        (b"study: sla\n", "study: found 'sla', expected compare or levels"),
        (b"study: compare\n", "plan.yaml: hosts is missing"),
        (b"study: compare\nhosts: many\n", "hosts: found 'many', expected a number from 1"),
        (b"study: compare\nhosts: 2\n", "plan.yaml: vm is missing"),
        (b"study: compare\nhosts: 2\nvm: [COS, UTIL]\n", "vm: found 2 values, expected one"),
        (b"a: [\n", "plan.yaml: is no YAML"),
        (b"\xff\xfe", "plan.yaml: is no YAML"),
        (b"# promise: hours=x probability=0.9\nstudy: compare\nhosts: 1\n", "plan.yaml:1: found"),
        (b"# promise: hours=6 probability=1\nstudy: compare\nhosts: 1\n", "plan.yaml:1: found"),
        (b"# promise: 6\nstudy: compare\nhosts: 1\n", "expected # promise: hours=6 probability"),
    ],
)
def test_what_is_no_plan_is_one_error(tmp_path, said, text, error):
    path = tmp_path / "plan.yaml"
    if text is not None:
        path.write_bytes(text)
    printed = said("plan", "apply", path, "--dry-run", code=2)
    assert printed.startswith("cospot-nova: error: ") and error in printed
    assert len(printed.splitlines()) == 1


def compared(found):
    """Findings by check, each with its verdict."""
    return {
        each["check"]: [(one["verdict"], one["found"]) for one in each["findings"]]
        for each in found["checks"]
    }


def test_a_cloud_that_is_as_planned(cloud, plan, capsys, tmp_path):
    """2 hosts of 8 vCPUs at a ratio of 4, and 3,584 MiB; spot.m1 is there."""
    config = configure(
        tmp_path / "nova.conf",
        {
            ("cospot", "spot_policy"): "sDPD",
            ("cospot", "evictor"): "YJF",
            ("cospot", "otn"): "16",
            ("cospot", "saf"): "on",
        },
    )
    evictor = tmp_path / "evictor.conf"
    evictor.write_text(f"{GOOD_EVICTOR}[cospot_evictor]\nevictor = YJF\n")
    capsys.readouterr()
    configs = ("--config-file", config, "--evictor-config-file", evictor, "--without-disk")
    code, found = apply(capsys, plan(host="{vcpus: 32, memory_mb: 3584}"), *configs)
    seen = compared(found)
    assert code == 0, seen
    assert ("ok", "otn is 16") in seen["[cospot]"]
    assert seen["hosts"] == [
        ("ok", "2 enabled hosts have 64 VCPU, the plan counts on 64 of 2 hosts"),
        ("ok", "2 enabled hosts have 7168 MEMORY_MB, the plan counts on 7168 of 2 hosts"),
    ]
    assert seen["spot flavors"] == [("ok", "spot.m1 is as planned")]
    assert {"filter", "weigher", "quota", "inventories", "evictor agrees"} <= seen.keys()


def test_what_differs_in_a_cloud(cloud, plan, capsys, tmp_path):
    config = configure(tmp_path / "nova.conf", {("quota", "count_usage_from_placement"): "false"})
    evictor = tmp_path / "evictor.conf"
    evictor.write_text(f"{GOOD_EVICTOR}[cospot_evictor]\ndry_run = true\n")
    capsys.readouterr()
    configs = ("--config-file", config, "--evictor-config-file", evictor, "--without-disk")
    written = plan([(6, 0.9)], host="{vcpus: 32, memory_mb: 4096}", hosts="3")
    code, found = apply(capsys, written, *configs)
    assert code == 1
    seen = compared(found)
    assert ("differs", "otn is 4, the plan has 16") in seen["[cospot]"]
    assert ("differs", "lifetime_target is not set, the plan has 0.1") in seen["[cospot]"]
    assert ("differs", "evictor is FIFO, the plan has YJF") in seen["[cospot_evictor]"]
    assert seen["[cospot_evictor]"][-1][1].startswith("evictions are switched off")
    assert seen["quota"][0][0] == "differs"
    # 3 hosts of 32 and 4,096 are 96 and 12,288; there are 64 and 7,168
    assert [one[1].partition(":")[0] for one in seen["hosts"]] == [
        "2 enabled hosts have 64 VCPU, the plan counts on 96 of 3 hosts",
        "2 enabled hosts have 7168 MEMORY_MB, the plan counts on 12288 of 3 hosts",
    ]
    assert seen["spot flavors"] == [
        ("ok", "spot.m1 is as planned"),
        ("differs", "there is no spot.m1.6h"),
    ]


def test_the_commands_for_flavors_make_what_is_planned(cloud, plan, capsys):
    cloud.add_flavor("two words", 4, 8192, 20, ephemeral=2, swap=1, is_public=False)
    cloud.access["3"] = ["blue"]
    capsys.readouterr()
    found = apply(capsys, plan([(6, 0.9)]), "--flavor", "two words")[1]
    plain, _, promised, project = (
        shlex.split(line)
        for line in found["files"]["flavors.sh"].splitlines()
        if not line.startswith("#")
    )
    assert plain[:11] == [
        *("openstack", "flavor", "create", "--vcpus", "4", "--ram", "8192", "--disk", "20"),
        *("--ephemeral", "2"),
    ]
    assert (plain[-1], "--private" in plain) == ("spot.two words", True)
    properties = dict(
        value.split("=", 1) for word, value in itertools.pairwise(promised) if word == "--property"
    )
    assert properties == {**spot_extra_specs(4, 8192, 23), "cospot:lifetime": "6h"}
    assert project == ["openstack", "flavor", "set", "--project", "blue", "spot.two words.6h"]


def test_the_pages_are_in_a_safe_order(plan, capsys):
    """The evictor knows promises before they are given, and flavors come after both."""
    pages = list(apply(capsys, plan([(6, 0.9)]))[1]["files"])
    assert pages == ["cospot-evictor.conf", "nova.conf", "quotas.sh", "flavors.sh", "promises.sh"]
    assert next(iter(apply(capsys, plan(evictor="[LPKM]"))[1]["files"])) == "models.sh"


def test_what_else_weighs_stays(plan, capsys, tmp_path):
    """Server groups with soft affinity take Nova's own weighers beside."""
    both = "nova.scheduler.weights.all_weighers,cospot.nova.scheduler.weigher.CospotWeigher"
    config = tmp_path / "nova.conf"
    config.write_text(
        f"[filter_scheduler]\nenabled_filters = CospotFilter,MyFilter\nweight_classes = {both}\n"
    )
    found = apply(capsys, plan(), "--offline", "--config-file", config)[1]
    filters = section(found["files"]["nova.conf"], "filter_scheduler")
    assert filters["weight_classes"] == both
    assert filters["enabled_filters"] == "MyFilter,CospotFilter"


def test_flavors_without_a_cloud(plan, capsys):
    arguments = ("--flavor", "m1.large", "--without-disk")
    text = apply(capsys, plan([(6, 0.9)]), *arguments)[1]["files"]["flavors.sh"]
    assert text.splitlines()[1:] == [
        "cospot-nova flavor create-spot m1.large --name spot.m1.large --without-disk",
        "cospot-nova flavor create-spot m1.large --name spot.m1.large.6h --without-disk",
        "openstack flavor set --property cospot:lifetime=6h spot.m1.large.6h",
    ]
    assert "--flavor NAME" in apply(capsys, plan())[1]["files"]["flavors.sh"]


def test_a_flavor_that_is_something_else_is_said(cloud, plan, capsys):
    cloud.add_flavor("spot.m1.6h", 2, 2048, extra_specs=spot_extra_specs(2, 2048, 0))
    capsys.readouterr()
    found = apply(capsys, plan([(6, 0.9)]), "--without-disk")[1]
    (_, (verdict, text)) = compared(found)["spot flavors"]
    assert verdict == "differs"
    assert "is different: cospot:lifetime is not set, expected 6h" in text


def test_limits_are_those_of_all_hosts(plan, capsys, tmp_path):
    """2 hosts of 8 vCPUs and 16 GiB of memory, 100 GiB of disk."""
    config = tmp_path / "nova.conf"
    config.write_text("[quota]\ndriver = nova.quota.UnifiedLimitsDriver\n")
    written = plan(host="{vcpus: 8, memory_mb: 16384, disk_gb: 100}")
    found = apply(capsys, written, "--config-file", config, "--offline")[1]
    create = "openstack registered limit create --service nova --default-limit"
    assert found["files"]["quotas.sh"].splitlines()[2:] == [
        f"{create} 16 class:CUSTOM_SPOT_VCPU",
        f"{create} 32768 class:CUSTOM_SPOT_MEMORY_MB",
        f"{create} 200 class:CUSTOM_SPOT_DISK_GB",
    ]
    assert "[quota]" not in found["files"]["nova.conf"].partition("\n[")[2]


def test_hosts_of_a_file(plan, capsys, tmp_path):
    """Of three hosts one is down; 1,001 hosts are more than placement hands out."""
    (tmp_path / "hosts.csv").write_text(
        "# of May\nname,vcpus,memory_mb,status\na,8,16384,up\nb,4,8192,\nc,64,65536,down\n"
    )
    config = tmp_path / "nova.conf"
    config.write_text("[quota]\ndriver = nova.quota.UnifiedLimitsDriver\n")
    arguments = ("--config-file", config, "--offline", "--without-disk")
    found = apply(capsys, plan(host="hosts.csv"), *arguments)[1]
    assert "--default-limit 12 class:CUSTOM_SPOT_VCPU" in found["files"]["quotas.sh"]
    found = apply(capsys, plan(hosts="1001"), *arguments)[1]
    assert section(found["files"]["nova.conf"], "scheduler") == {"max_placement_results": "1001"}
    assert run("plan", "apply", plan(host="none.csv"), "--dry-run", *arguments) == 2
    assert "none.csv: cannot be read" in capsys.readouterr().err


def test_the_text_for_people(plan, said):
    lines = said("plan", "apply", plan(**ECONOMY), "--dry-run", code=1).splitlines()
    assert lines[0] == "Sell all idle capacity as spots."
    assert [line for line in lines if line.startswith("#####")] == [
        "##### cospot-evictor.conf",
        "##### nova.conf",
        "##### quotas.sh",
        "##### flavors.sh",
    ]
    assert any(line.startswith("cannot   25 % of what is asked for") for line in lines)
    assert "unknown  [cospot]: there is no nova.conf here: nothing to compare" in lines


def test_the_output_in_the_documentation(capsys, monkeypatch):
    """Of the plan and the configuration that stand in examples/nova."""
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "nova" / "selling.md").read_text()
    command = re.search(r"```sh\n(cospot-nova plan apply .*?)```", page, re.DOTALL)[1]
    (command, *_) = command.replace("\\\n", " ").splitlines()
    assert run(*shlex.split(command)[1:]) == 1
    shown = re.search(r"```\n(Sell all .*?)```", page, re.DOTALL)[1]
    assert capsys.readouterr().out == shown


@pytest.mark.slow
@pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason="COSPOT_PROGRAM does not name cospot")
def test_the_example_plan_is_what_its_command_writes(tmp_path):
    """What `cospot plan` sells changes with it, and the page shows what that means in Nova."""
    page = (ROOT / "docs" / "nova" / "selling.md").read_text()
    command = re.search(r"```sh\n(cospot plan .*?)```", page, re.DOTALL)[1].replace("\\\n", " ")
    done = [PROGRAM, *shlex.split(command)[1:]]
    subprocess.run(done, cwd=tmp_path, check=True, capture_output=True)
    example = ROOT / "examples" / "nova" / "plan.yaml"
    assert (tmp_path / "plan.yaml").read_text() == example.read_text()
