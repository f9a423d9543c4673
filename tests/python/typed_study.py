"""Studies as a type checker sees them: right, with an unknown key, and with a wrong value."""

from __future__ import annotations

import cospot

RIGHT: cospot.Study = {"workloads": ["w.csv"], "hosts": range(500, 600, 20), "saf": [False, True]}
UNKNOWN_KEY: cospot.Study = {"worklods": ["w.csv"]}  # type: ignore[typeddict-unknown-key]
WRONG_VALUE: cospot.Study = {"study": "comparison"}  # type: ignore[typeddict-item]
