"""The lines of a model file, for both kinds of model."""

from __future__ import annotations

import numpy as np

from cospot.errors import InputError


class ModelLines:
    """The significant lines of a model file, with their line numbers."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._lines = [
            (number, line.split())
            for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
        self._next = 0

    def take(self, key: str = "", values: int | None = None) -> list[str]:
        """Return the next line's words without `key`, with which it must begin."""
        if self._next == len(self._lines):
            raise InputError(f"{self._name}: the file is not complete, expected '{key or 'more'}'")
        number, words = self._lines[self._next]
        self._next += 1
        if key and words[0] != key:
            raise InputError(f"{self._name}:{number}: found '{words[0]}', expected '{key}'")
        found = words[1:] if key else words
        if values is not None and len(found) != values:
            raise InputError(f"{self._name}:{number}: found {len(found)} values, expected {values}")
        return found

    def numbers(self, key: str = "", values: int | None = None) -> list[float]:
        """Return the next line's words as finite numbers."""
        words = self.take(key, values)
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            numbers = [np.nan]
        if not np.isfinite(numbers).all():
            number = self._lines[self._next - 1][0]
            raise InputError(f"{self._name}:{number}: expected finite numbers")
        return numbers

    def count(self, key: str) -> int:
        """Return the single number of the next line."""
        return int(self.numbers(key, 1)[0])
