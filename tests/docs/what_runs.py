"""Which blocks of the pages a test can run, and why not the others."""

from __future__ import annotations

import re

from pages import PAGES, SHELL, Block, blocks, spans

#: What a block must not have to be run here, and why.
NEEDS = {
    r"/etc/nova/|\b(openstack|oslo-config-generator|rabbitmqctl|systemctl|ssh|useradd) |"
    r"cospot-nova (status|doctor)": "a cloud; tests/python/nova and tests/nova paste them",
    r"\b(pip3?|apt-get) (install|wheel)|install-dependencies\.sh|cmake --|quickstart\.sh": (
        "installs or builds"
    ),
    r"^(kubectl|jupyter|editor) |\bsbatch |submit\.sh": "a cluster, or a person",
    r"workload fetch": "the network; tests/workloads/test_fetch.py has a server",
    r"(examples/(papers|lifetime_models)/\S*run|tests/[\w/]*run|deploy|tidy)\.sh|tests/bench/|"
    r"^cd tests/browser": "minutes, or what tests/run.sh runs",
    r"\bperf record ": "perf, which counts as root only",
}
#: A whole command in a sentence: it names a file of the clone, and no placeholder.
RUNNABLE_SPAN = re.compile(r"^(?!.*(\.\.\.|<|\b[A-Z]{2,}\b)).* examples/", re.DOTALL)


def shell_blocks(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language in SHELL]


def why_not(block: Block) -> str:
    """Return why a block is not run; nothing when it is."""
    if block.not_run or block.run_by:
        return block.not_run or "tests/workloads/test_cookbook_import.py runs it"
    for pattern, reason in NEEDS.items():
        if re.search(pattern, block.text, re.MULTILINE):
            return reason
    return ""


def runnable(page: str) -> list[Block]:
    """Return what is run of a page: its blocks, then the whole commands of its sentences."""
    found = [block for block in shell_blocks(page) if not why_not(block)]
    return found + [span for span in spans(page) if RUNNABLE_SPAN.match(span.text)]


def report() -> list[str]:
    """Return for every reason which blocks are not run, and how many are."""
    places: dict[str, list[str]] = {}
    for page in PAGES:
        for block in shell_blocks(page):
            if why := why_not(block):
                places.setdefault(why, []).append(block.place)
    ran = sum(len(runnable(page)) for page in PAGES)
    return [
        f"of the pages' blocks {ran} are run, {sum(map(len, places.values()))} are not:",
        *(f"  {why}: {', '.join(found)}" for why, found in sorted(places.items())),
    ]
