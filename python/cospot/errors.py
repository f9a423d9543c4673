"""The exceptions of cospot, the same as in its C++ core (core/errors.hpp)."""

from __future__ import annotations


class CospotError(Exception):
    """Base of all exceptions that cospot raises on purpose."""


class InputError(CospotError):
    """The input cannot be used.

    The text is one sentence that says where, what, what was expected and, for names, the valid
    ones: the sentence that the command line prints.
    """


class ConfigError(InputError):
    """A configuration (sweep, scenario, argument, option, policy name) cannot be used."""


class ArgumentError(InputError, TypeError):
    """A call has an argument that it does not take, lacks one, or has one of another type."""


class WorkloadError(InputError):
    """A workload cannot be used; for a file the text starts with ``file:line:``."""


class DatabaseError(InputError):
    """A results database cannot be opened, belongs to another sweep or cannot be written."""


class WorkloadWarning(UserWarning):
    """Figures over a workload are to be taken with care; the text says why.

    Requests fall outside its window, nothing precedes time 0 (the datacenter starts empty), or
    part of the window was not observed. Given at the first use of a workload.
    """


class PolicyError(CospotError):
    """A policy broke its contract: it raised, or returned what cannot be used.

    The text names the policy. When the policy raised, its exception is ``__cause__``.
    """
