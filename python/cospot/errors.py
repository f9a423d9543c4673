"""The exceptions of cospot, the same as in its C++ core (core/errors.hpp)."""

from __future__ import annotations

from cospot.printable import printable, without_middle


class CospotError(Exception):
    """Base class of all exceptions that cospot raises deliberately.

    What its text quotes of the input may be anything, so it is made printable.
    """

    def __init__(self, text: object = "") -> None:
        super().__init__(without_middle(printable(str(text))))


class InputError(CospotError):
    """The input cannot be used.

    The text is the sentence that the command line prints: the place, what was found, what was
    expected and, for names, the valid ones.
    """


class ConfigError(InputError):
    """A configuration (study, scenario, argument, option, policy name) cannot be used."""


class ArgumentError(InputError, TypeError):
    """A call has an unknown argument, lacks one, or has one of the wrong type."""


class WorkloadError(InputError):
    """A workload cannot be used; the text for a file starts with ``file:line:``."""


class DatabaseError(InputError):
    """A results database cannot be opened, belongs to another study or cannot be written."""


class ResultsWarning(UserWarning):
    """Some runs of a study are missing; the text says how many. Issued when results are read."""


class WorkloadWarning(UserWarning):
    """Figures over a workload need care; the text says why.

    Requests fall outside its window, nothing precedes time 0 (the datacenter starts empty), or part
    of the window was not observed. Issued on the first use of a workload.
    """


class PolicyError(CospotError):
    """A policy broke its contract: it raised an exception or returned an unusable value.

    The text names the policy. The policy's exception, if any, is ``__cause__``.
    """
