"""What notebooks show: the numbers with their units, and nothing that a name could inject."""

from __future__ import annotations

import re
from pathlib import Path

import cospot
from cospot.html_tables import html_table
from cospot.interval import Interval
from cospot.provider.tuning import Expected, Setting, Tuning, Verdict
from made_results import FOUR_RUNS, make_database


def cells(html: str) -> list[list[str]]:
    """The texts of each row below the head."""
    body = html.split("<tbody>")[1]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("<tr>")[1:]]


def test_names_are_escaped() -> None:
    html = html_table("<b>", ("&",), [("<script>",)])
    assert "<b>" not in html and "<script>" not in html
    assert "&lt;script&gt;" in html and "&amp;" in html


def test_long_tables_are_cut() -> None:
    rows = cells(html_table("", ("n",), [(str(n),) for n in range(25)]))
    assert len(rows) == 21
    assert rows[-1] == ["5 more"]


def test_a_run(workload: cospot.Workload) -> None:
    run = cospot.simulate(
        workload, hosts=36, host=(10400, 2250), vm="COS", spot="sCOS", evictor="FIFO"
    )
    rows = dict((row[0], row[1:]) for row in cells(run._repr_html_()))
    assert rows["VMs requested"][0] == f"{run.vm_requests:,}"
    part = 100 * run.spot_revenue / run.spot_revenue_requested
    hours = f"{run.spot_revenue / 3600:,.0f} vCPU-hours"
    assert rows["Spot revenue"] == [hours, f"{part:.2f}%"]


def test_a_workload() -> None:
    columns = {
        "is_spot": [False, True, True], "vcpus": [2, 3, 4], "memory_mb": [1024, 2048, 4096],
        "start_us": [0, 0, 0], "end_us": [1, 1, 1],
    }  # fmt: skip
    made = cospot.Workload.from_columns(columns, name="<x>", window_days=2)
    html = made._repr_html_()
    assert "&lt;x&gt;: 2 days" in html
    assert cells(html) == [["VMs", "1", "2", "1 GiB"], ["Spots", "2", "7", "6 GiB"]]


def test_a_chain_an_offer_and_a_choice() -> None:
    chain = cospot.Chain([("RAMWeigher", 2.0), "CPUWeigher"], ["SpotFeasibility"])
    assert cells(chain._repr_html_()) == [
        ["SpotFeasibility", "filter", ""],
        ["RAMWeigher", "weigher", "2"],
        ["CPUWeigher", "weigher", "1"],
    ]
    offer = cospot.Offer(cospot.Request(4, 2048, instance=7), [(5, 2), (3, 0)])
    assert "Offer for VM 7: 4 vCPUs, 2,048 MiB" in offer._repr_html_()
    assert cells(offer._repr_html_()) == [["1", "5", "2"], ["2", "3", "0"]]
    choice = cospot.Choice(5, 2, [8, 9], 1.5)
    assert ["Evicted spots", "8, 9"] in cells(choice._repr_html_())


def test_results(tmp_path: Path) -> None:
    results = cospot.load_results(make_database(tmp_path / "r.db", FOUR_RUNS, run_count=24))
    assert repr(results) == f"<Results of compare in {tmp_path / 'r.db'}: 4 of 24 runs>"
    html = results._repr_html_()
    assert "Study compare: 4 of 24 runs" in html
    gain = next(row for row in cells(html) if row[0] == "gain")
    assert gain[2:] == ["0", "0.375", "0.8"]  # of 0, 0.2, 0.5 and 0.8


def test_a_recommendation() -> None:
    setting = Setting("COS", "sCOS", "FIFO", True, 4, None, None)
    verdict = Verdict("cooperate", True, Interval(0.1, 0.05, 0.15), 3, 0, 0, 0.0)
    expected = Expected(3, 1, Interval(0.5, 0.4, 0.6), Interval(0.01, None, None))
    tuning = Tuning(
        verdict, setting, expected, None, setting, None, None, True, [], [], [], [], [], 1, None
    )
    rows = dict(cells(tuning._repr_html_()))
    assert "Recommendation: cooperate" in tuning._repr_html_()
    assert rows["Expected spot revenue, of requested"] == "50.00% (40.00% to 60.00%)"
    assert rows["Expected VM loss, of requested"] == "1.00%"
    assert (rows["SAF"], rows["OTN"], rows["Samples over the limit"]) == ("on", "4", "1 of 3")
