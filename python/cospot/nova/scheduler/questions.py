"""Questions to placement and to Nova's database, whose own clients have no time limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from cospot.nova import log as logging

LOG = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class NoAnswerError(TimeoutError):
    """A service has not answered in time."""


class Asker:
    """Puts questions to one service that may never answer. Threads may share it.

    Each question has a thread, and is waited for no longer than it may take. One that is not
    answered by then keeps its thread. Until that ends, and for some seconds at least, nothing is
    asked: however long a service hangs, threads do not pile up, and no other request waits for it.

    Args:
        service: as metrics call it.
        clock: seconds that never go back.
    """

    PAUSE_S: Final = 5.0

    def __init__(self, service: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.service = service
        self._clock = clock
        self._not_before = float("-inf")
        self._overdue: set[threading.Event] = set()
        self._lock = threading.Lock()
        self._unanswered = 0

    def may_ask(self) -> bool:
        """Tell whether a question may be put now."""
        return not self._overdue and self._clock() >= self._not_before

    def num_hanging(self) -> int:
        """Return how many questions have not ended that nobody waits for any more."""
        return len(self._overdue)

    def rest(self) -> None:
        """Let nothing be asked for some seconds."""
        self._not_before = self._clock() + self.PAUSE_S

    def note_failure(self) -> None:
        """Count a question that was put elsewhere and not answered."""
        with self._lock:
            self._unanswered += 1

    def take_unanswered(self) -> int:
        """Return how many questions got no answer since the last call."""
        if not self._unanswered:
            return 0
        with self._lock:
            count, self._unanswered = self._unanswered, 0
        return count

    def ask(self, question: Callable[[], Answer], seconds: float) -> Answer:
        """Return what a question returns.

        Args:
            question: is asked in another thread, and may go on there when nobody waits any more.
            seconds: how long to wait at most.

        Raises:
            NoAnswerError: there was no answer in time, or nothing may be asked now.
            Exception: whatever the question raises.
        """
        if not self.may_ask():
            raise NoAnswerError("an earlier question got no answer")
        answers: list[Answer] = []
        problems: list[Exception] = []
        done = threading.Event()

        def run() -> None:
            try:
                answers.append(question())
            except Exception as error:
                problems.append(error)
            finally:
                done.set()
                self._overdue.discard(done)

        threading.Thread(target=run, name=f"cospot-asks-{self.service}", daemon=True).start()
        done.wait(seconds)
        if answers:
            return answers[0]
        self.note_failure()
        if problems:
            raise problems[0]
        self.rest()
        self._overdue.add(done)
        if done.is_set():  # meanwhile
            self._overdue.discard(done)
        raise NoAnswerError(f"no answer within {seconds:.2f} s")

    def ask_or_warn(
        self, question: Callable[[], Answer], seconds: float, what: str, then: str
    ) -> Answer | None:
        """Return what a question returns; None, and a line in the log, if that is not known.

        Args:
            question: as in `ask`.
            seconds: how long to wait at most.
            what: what the line says could not be read: "3 instances".
            then: what is done without the answer: "they count as VMs".
        """
        try:
            return self.ask(question, seconds)
        except NoAnswerError as error:
            LOG.warning("cospot: %s could not be read (%s); %s", what, error, then)
        except Exception:
            LOG.exception("cospot: %s could not be read; %s", what, then)
        return None


def ask_placement(provider: str, what: str) -> Any:
    """Read something of a resource provider as the scheduler's own user; without a time limit.

    Args:
        provider: its UUID.
        what: the end of the address, which the answer calls it too: ``inventories``.

    Returns:
        None when placement does not know the provider.

    Raises:
        ConnectionError: placement gave no answer, or failed.
    """
    from nova.scheduler.client import report

    response = report.report_client_singleton().get(f"/resource_providers/{provider}/{what}")
    if response is None or response.status_code >= 500:
        raise ConnectionError(f"placement answered {getattr(response, 'status_code', 'nothing')}")
    return response.json()[what] if response.status_code == 200 else None
