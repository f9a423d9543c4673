"""`cospot-nova signals`, of a file of the service's own making."""

from __future__ import annotations

import json
import time

import pytest
from cospot.nova.signals import signals_file
from cospot.nova.signals.flavor_signals import signals_of
from cospot.nova.signals.spot_lives import SpotLife
from tool_cases import run

HOUR = 3600.0


@pytest.fixture
def file(tmp_path):
    """100 spots of `small` ran 10 h, of which 20 were evicted after 2; 3 of `big "x"` run 10 h."""
    now = time.time()
    lives = []
    for number in range(103):
        ended = now - 8 * HOUR if number < 20 else None
        flavor = "small" if number < 100 else 'big "x"'
        started = now - 10 * HOUR
        lives.append(SpotLife(f"u{number}", "p", flavor, (1, 1, 0), started, ended, ended))
    path = tmp_path / "signals.json"
    path.write_bytes(signals_file.dump(signals_of(lives, now - 50 * HOUR, now)))
    return path


def test_the_table(file, capsys):
    assert run("signals", "--signals", file) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("signals of 20") and err == ""
    (row,) = [line for line in lines if line.startswith("small")]
    cells = row.split()
    assert cells[:3] == ["small", "80", "0.02381"]  # 20 / (20 * 2 + 80 * 10)
    assert "20.0%" in row and "80.0%" in row and "over 10 h" in row
    assert (
        'big "x": no expected_uptime and no risk: too little data: 3 spots were observed, 30 are'
        " needed"
    ) in lines


def test_json_is_the_file(file, said):
    assert json.loads(said("signals", "--json", "--signals", file)) == json.loads(file.read_text())


def test_prometheus_reads_the_text(file, said):
    parser = pytest.importorskip("prometheus_client.parser")
    text = said("signals", "--prometheus", "--signals", file)
    samples = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }
    small, big = ("flavor", "small"), ("flavor", 'big "x"')
    assert samples["cospot_signals_running_spots", small] == 80
    assert samples["cospot_signals_eviction_rate_per_hour", small] == pytest.approx(20 / 840)
    assert samples["cospot_signals_survival_ratio", small, ("hours", "6")] == pytest.approx(0.8)
    assert 0 < samples["cospot_signals_risk_ratio", small, ("minutes", "60")] < 1
    assert samples["cospot_signals_eviction_rate_per_hour", big] == 0
    assert not any(key[0] == "cospot_signals_risk_ratio" and big in key for key in samples)


def test_the_file_of_the_evictors_configuration(file, capsys, tmp_path):
    conf = tmp_path / "cospot-evictor.conf"
    conf.write_text(f"[cospot_evictor]\nstate_path = {tmp_path}\n")
    assert run("signals", "--evictor-config-file", conf) == 0
    file.unlink()
    assert run("signals", "--evictor-config-file", conf) == 2
    assert "set signals = true in [cospot_evictor]" in capsys.readouterr().err


def test_an_odd_file_and_an_old_one(file, capsys, said, tmp_path):
    for text in (b"", b"[]", b'{"format": "x"}', b"\xff"):
        (tmp_path / "odd").write_bytes(text)
        assert run("signals", "--signals", tmp_path / "odd") == 2
    assert said("signals", "--signals", tmp_path, code=2).count("cospot-nova: error:") == 5
    body = json.loads(file.read_text())
    file.write_text(json.dumps({**body, "as_of": "2020-01-01T00:00:00+00:00", "flavors": []}))
    assert run("signals", "--signals", file) == 0
    out, err = capsys.readouterr()
    assert "no spot has run since" in out and "does cospot-evictor run?" in err
