"""Why what the broker's paper published did not come out here, by what is compared."""

from __future__ import annotations

REASONS: dict[str, str] = {}
