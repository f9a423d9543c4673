"""No test waits in a way of its own: a slow machine must not make one fail (tests/waiting.py)."""

from __future__ import annotations

import ast
from pathlib import Path

import waiting

TESTS = Path(waiting.__file__).parent
#: Measurements, the deployment's own start and stop, a clock that is simulated, and what CTest runs
#: with a limit of its own.
APART = ("waiting.py", "nova/measure_", "nova/deployment/", "nova/seeds/", "browser/", "cli/")
#: A limit shorter than this is what its test is about, or far too short.
SHORT_S = 9


def name_of(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def is_limit(node: ast.expr) -> bool:
    """Tell whether it is a number of seconds, neither short on purpose nor PATIENCE_S."""
    number = node.value if isinstance(node, ast.Constant) else None
    return isinstance(number, (int, float)) and SHORT_S <= number < waiting.PATIENCE_S


def faults(tree: ast.AST) -> list[str]:
    """Return the loops that sleep, and the limits of waits that are numbers, by line."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            calls = [each for part in node.body for each in ast.walk(part)]
            if any(isinstance(each, ast.Call) and name_of(each) == "sleep" for each in calls):
                found.append(f"{node.lineno}: a loop that sleeps, expected wait_until()")
        if isinstance(node, ast.Call) and name_of(node) in {"wait", "join", "communicate", "run"}:
            given = [each.value for each in node.keywords if each.arg == "timeout"]
            given += node.args[:1] if name_of(node) != "run" else []
            if any(map(is_limit, given)):
                found.append(f"{node.lineno}: a limit of its own, expected PATIENCE_S")
    return found


def test_no_test_waits_in_a_way_of_its_own() -> None:
    assert faults(
        ast.parse("while True:\n    time.sleep(1)\nprocess.wait(20)\nevent.wait(0.1)")
    ) == [
        "1: a loop that sleeps, expected wait_until()",
        "3: a limit of its own, expected PATIENCE_S",
    ]
    found = [
        f"{name}:{fault}"
        for path in sorted(TESTS.rglob("*.py"))
        if not (name := path.relative_to(TESTS).as_posix()).startswith(APART)
        for fault in faults(ast.parse(path.read_text()))
    ]
    assert found == []
