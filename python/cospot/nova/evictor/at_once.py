"""Several questions to placement and Nova at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

#: Questions of one thread at once; more wait for these.
_MOST_AT_ONCE: Final = 16


def together(questions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Ask several questions at once, and return their answers in order.

    Raises:
        CloudError: the first that one of them raised; all have come to their end.
    """
    if len(questions) == 1:
        return [questions[0]()]
    if not questions:
        return []
    with ThreadPoolExecutor(min(len(questions), _MOST_AT_ONCE), "question") as pool:
        return list(pool.map(lambda ask: ask(), questions))
